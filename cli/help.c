/* SPDX-License-Identifier: Apache-2.0 */
/* help - the texts of --help, enough to use everything */

#include "cli/help.h"

#include <stdio.h>

#include "cli/exit_code.h"
#include "cli/table_cache.h"

static const char main_page[] =
	"tidemark - where does this host spend its CPU time?\n"
	"\n"
	"  tidemark record [OPTION...] [-- COMMAND...]   record into a picture\n"
	"  tidemark record --help                        everything about it\n"
	"  tidemark version                              print the version\n"
	"  tidemark --help                               print this\n"
	"\n"
	"Ten seconds of the whole host:  tidemark record -d 10 && xdg-open tidemark.html\n";

static const char record_page[] =
	"tidemark record [OPTION...] [-- COMMAND [ARGUMENT...]]\n"
	"\n"
	"Samples the stacks of everything that runs, without touching it, and writes where the\n"
	"CPU time went. Needs root, a kernel from 5.10 with BTF, and BPF.\n"
	"\n"
	"What is recorded\n"
	"  (nothing given)         the whole host, until Ctrl-C\n"
	"  -p, --pid PID           this process, its threads and its later children; again for more\n"
	"                          (as many as 256); ends when none of them is left\n"
	"  -- COMMAND...           this program and its children; it starts when sampling is\n"
	"                          attached, with your identity and your terminal. Ends when none of\n"
	"                          them is left. If the recording ends first, COMMAND gets SIGTERM\n"
	"                          and, two seconds later, SIGKILL.\n"
	"\n"
	"How\n"
	"  -d, --duration SECONDS  at most so long; also 0.5, 250ms, 2m\n"
	"  -F, --frequency HZ      samples per second and CPU, 1 to 10000; 99 if not given\n"
	"      --ring-kib N        memory between kernel and collector for each CPU, a power of two\n"
	"                          from 4 to 262144; from the frequency if not given\n"
	"      --memory-max MIB    bounds what grows with what is sampled, 16 to 2048; 256 if not given. An\n"
	"                          eighth is for the tables by which the kernel walks stacks; when they\n"
	"                          are full, those of the file that was sampled longest ago give way. The\n"
	"                          rest is for samples, stacks, processes and files until they are\n"
	"                          written; when it is full, samples are dropped, reason memory. Rings,\n"
	"                          and what a report takes while it is made, come on top.\n"
	"      --cache FILE        keep the tables that were made of programs' files there, so that the next\n"
	"                          recording of this boot need not make them again: 64 MiB at most, for\n"
	"                          root alone. " TABLE_CACHE_DEFAULT " if not given\n"
	"      --no-cache          keep nothing, and use nothing that was kept\n"
	"      --private-files     name functions also of programs in private folders (mode 0700) and\n"
	"                          of deleted ones: the opener gets CAP_DAC_READ_SEARCH and\n"
	"                          CAP_CHECKPOINT_RESTORE for it\n"
	"      --restart           if the symbolizer, which names and writes, dies while it records,\n"
	"                          start another, at most five times. What the dead one had not\n"
	"                          written counts as dropped, reason symbolizer_died. Without this the\n"
	"                          recording ends.\n"
	"  -v, --verbose           say more about what happens\n"
	"\n"
	"Into what\n"
	"  -o, --output FILE       again for several at once; the ending chooses the format:\n"
	"                            .html             a flame graph in one page, for a browser\n"
	"                            .pb.gz            pprof, for `go tool pprof` and others\n"
	"                            .folded           one line a stack, for flame-graph tools\n"
	"                            .speedscope.json  for https://www.speedscope.app\n"
	"                          tidemark.html if not given. A file is replaced when the new one\n"
	"                          is whole, never before.\n"
	"      --summary FILE      counts, completeness and own cost, as JSON\n"
	"      --every SECONDS     write everything every so often (1 s or more) and go on:\n"
	"                          x.0001.html, x.0002.html, ... for -o x.html; the last one\n"
	"                          when the recording ends. Each report has samples, counts and\n"
	"                          completeness of its own interval alone, and --summary is numbered\n"
	"                          with it, so the last FILE is the last interval's; what it costs is\n"
	"                          told since the start, and \"recording\" in it sums up all so far. A\n"
	"                          file that cannot be written is left out, and the recording goes on.\n"
	"\n"
	"Ctrl-C (or SIGTERM) ends early and still writes everything; twice gives up. At the end a\n"
	"table of ten functions and a line of completeness are printed: every sample taken was\n"
	"exported or is counted as dropped. `not run` counts hits that the clocks of the sampling\n"
	"events owe and for which the kernel ran nothing: on idle CPUs where their timers sleep,\n"
	"by a timer that came a whole period late, or while another BPF program ran.\n"
	"\n"
	"Exit code\n"
	"  0  everything is written           3  this host or account cannot (root, BTF, BPF)\n"
	"  1  failed                          4  some outputs are written, others could not be\n"
	"  2  the command line is wrong\n"
	"COMMAND's own status is printed and does not change this.\n";

int help_print(enum help_page page)
{
	(void)fputs(page == HELP_RECORD ? record_page : main_page, stdout);
	return fflush(stdout) == 0 ? EXIT_CODE_WRITTEN : EXIT_CODE_FAILED;
}
