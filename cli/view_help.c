/* SPDX-License-Identifier: Apache-2.0 */
/* view_help - the texts of `tidemark view --help` and `tidemark diff --help` */

#include "cli/view_help.h"

#include "cli/view_options.h"

#define FILTERS                                                                              \
	"Who is shown (given several times: any of them)\n"                                  \
	"      --comm NAME         threads of this name, and processes whose first has it\n" \
	"      --pid PID           this process, by its number on the host\n"                \
	"      --container ID      this container; the beginning of its id suffices\n"       \
	"      --unit NAME         this unit of systemd: nginx, nginx.service, user.slice\n" \
	"\n"

#define TIMES                                                                                   \
	"A TIME is 02:50 (the last time it was), \"2026-11-23 02:50\" or :10 behind it, both\n" \
	"local, or 2026-11-23T02:50:10+01:00. A local time that a change of the clock left\n"   \
	"out or repeated is refused.\n"

#define OTHERS                                                                                    \
	"      --spool DIR         the folder of the reports; default\n"                          \
	"                          " VIEW_OPTIONS_SPOOL "\n"                                      \
	"      --memory-max MIB    what the reports may take while they are added up, 16 to\n"    \
	"                          3072 MiB; default 1024\n"                                      \
	"      --mode MODE         of the files, as chmod has it; default 600 if they are from\n" \
	"                          the spool, else by the umask\n"                                \
	"  -v, --verbose           print more about what happens\n"                               \
	"  -h, --help              print this\n"

const char view_help_view[] =
	"tidemark view --since DURATION | --from TIME [--to TIME] [OPTION...]\n"
	"tidemark view FILE... [OPTION...]\n"
	"\n"
	"Shows what tidemark's services recorded on this host, or files of `record -o x.otlp`, as\n"
	"one picture: the sum of all reports that have a part in that time. Reports of a few\n"
	"seconds are not divided, so the picture may begin and end a little outside of it. Needs\n"
	"to read the spool: root may, and its group.\n"
	"\n"
	"What is shown\n"
	"      --since DURATION    from so long ago until now: 90s, 10m, 2h\n"
	"      --from TIME         from then on\n"
	"      --to TIME           until then; default: until now\n"
	"\n" FILTERS "What is written\n"
	"  -o, --output FILE       as of record: .html, .pb.gz, .folded, .speedscope.json, .otlp;\n"
	"                          default tidemark.html\n" OTHERS "\n" TIMES "\n"
	"What is damaged or missing is named, and the rest is shown. Exit codes are those of\n"
	"record: 0 everything is written, 1 failed or nothing was there, 2 wrong command line, 4\n"
	"some outputs could not be written.\n";

const char view_help_diff[] =
	"tidemark diff A B [OPTION...]\n"
	"\n"
	"Shows what changed from A to B: a flame graph of B, red where its share is larger than\n"
	"in A and blue where it is smaller, and the functions by the difference. A and B are\n"
	"windows of what the services recorded, each as FROM..TO (FROM.. is until now), or files\n"
	"of `record -o x.otlp`.\n"
	"\n" FILTERS "What is written\n"
	"  -o, --output FILE       .html, or .folded with two numbers behind each stack, of A and\n"
	"                          of B; default tidemark.html\n" OTHERS "\n" TIMES;
