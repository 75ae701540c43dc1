/* SPDX-License-Identifier: Apache-2.0 */
/* top_help - the text of `tidemark top --help` */

#include "cli/top_help.h"

#include "cli/view_options.h"

const char top_help[] =
	"tidemark top [OPTION...]\n"
	"\n"
	"Shows live what uses this host's CPUs, or what waits: the sum of the newest reports that\n"
	"tidemark's services keep in their spool (systemctl start tidemark.target), or those of\n"
	"`tidemark record --spool DIR --every 2`. Root may read\n"
	"the spool, and its group.\n"
	"\n"
	"      --by function|process|container\n"
	"                          what a row is; default function\n"
	"      --off-cpu           begin with the time without a CPU, if it is recorded\n"
	"      --sort self|total   by the time of the row itself (default), or with what it calls\n"
	"      --interval SECONDS  how often it is read anew; default 2\n"
	"      --window SECONDS    reports of the last SECONDS; default 10\n"
	"      --spool DIR         the folder of the reports; default\n"
	"                          " VIEW_OPTIONS_SPOOL "\n"
	"      --once              print one table and end; so it is without a terminal\n"
	"  -h, --help              print this\n"
	"\n"
	"Keys: q quit; f, p, c by function, process, container; o on or off a CPU; s, t sort by\n"
	"self, total; space pause.\n"
	"\n"
	"If the newest report is older than the window, the last ones are shown, and their age.\n"
	"Exit code: 0 until you quit; 1 failed or nothing was there; 2 wrong command line.\n";
