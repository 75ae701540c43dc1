/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - messages between the command `tidemark` and the two programs it starts
 *
 * Shape      one SEQPACKET socketpair per program; the program inherits its end under the number
 *            given by --control-fd. Every message is one struct tm_control.
 * Sequence   collector:   READY; SELECT.., ANNOUNCE.., START -> STARTED; COUNTS about once a
 *            second; EMPTY once, when the last selected process has exited; STOP -> COUNTS, DONE.
 *            symbolizer:  READY; after the collector's END on the wire: one OUTPUT per output,
 *            TOP.., RESULT, DONE. FAILED, or end of file, ends either sequence at any time.
 * Reports    with --every, OUTPUT_FILE replaces the descriptor of one output. It must be a regular
 *            file open for writing; any other is closed at once and its OUTPUT has the code -EBADF.
 *            A descriptor serves one report and is closed once that is written, so new ones come
 *            before each FLUSH and before STOP; the first report may use those of --output. A FLUSH
 *            is answered by OUTPUT.., TOP.., COUNTS, RESULT, FLUSHED, in this order. COUNTS and
 *            RESULT cover that report's interval alone: taken = exported + drops holds in each, and
 *            the sum over all reports, the last included, is the whole recording. Without a FLUSH
 *            the only report covers the whole recording.
 * Trust      the command trusts neither program: it checks each field and cleans text before
 *            printing it. The programs trust the command.
 * Threads    one per socket. Every send waits until the command reads, unless `may_skip` says
 *            otherwise.
 * Errors     of the sending functions: -errno once the command is gone.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/wire.h"

enum tm_control_kind {
	/* command -> collector */
	TM_CONTROL_SELECT =
		1,        /* `value`: pid, in the command's PID namespace, of a process to sample */
	TM_CONTROL_START, /* every SELECT and ANNOUNCE has been sent: start sampling */
	TM_CONTROL_STOP,  /* stop sampling, drain the rings, publish, send END on the wire */
	TM_CONTROL_CPU, /* `value`: a CPU that came online; with the descriptor of its perf event */
	TM_CONTROL_ATTACH,   /* a new symbolizer; with the collector's end of the wire to it */
	TM_CONTROL_OPENER,   /* another opener, after the last one died; with the socket to it.
			    * `value`: its number, which OPENER_LOST repeats; the first has 0 */
	TM_CONTROL_ANNOUNCE, /* a file that is soon sampled: START waits for its unwind table, but
			      * not long. `code`: pid of the process that has it mapped, executable,
			      * at `value`. Ignored behind START */
	/* command -> symbolizer, with --every */
	TM_CONTROL_OUTPUT_FILE =
		10,        /* `value`: index of an output; with a descriptor for the next report */
	TM_CONTROL_FLUSH,  /* write a report of everything older than W, then continue */
	TM_CONTROL_RESUME, /* follows READY of a restarted symbolizer: body.counts were reported by
			    * its predecessor, whose last report ended at W = `value`; report only
			    * the rest */
	TM_CONTROL_PARSER, /* answers PARSER_LOST; with the socket of a new parser. `value`: its
			    * number; the first that this symbolizer is sent is 1 */
	/* program -> command */
	TM_CONTROL_READY = 16, /* programs are loaded, or the sandbox is entered; `value` unused */
	TM_CONTROL_STARTED,    /* sampling has started */
	TM_CONTROL_EMPTY,      /* every selected process has exited */
	TM_CONTROL_COUNTS,     /* body.counts */
	TM_CONTROL_OUTPUT,     /* `value`: index of the output; `code`: 0 or -errno of writing it */
	TM_CONTROL_TOP,        /* struct tm_top: one row of the table of functions, in order */
	TM_CONTROL_RESULT,     /* struct tm_result */
	TM_CONTROL_NOTE,       /* body.text: one line for the user */
	TM_CONTROL_DONE,       /* the program exits now; `code`: 0 or -errno */
	TM_CONTROL_FLUSHED,    /* ends the answer to one FLUSH; `value`: W up to which it reports */
	TM_CONTROL_FAILED,     /* `code`: enum tm_failure, body.text: one sentence for the user */
	/* symbolizer -> command: its parser exited or sent an invalid message, and another one is
	 * needed. Sent again, with growing pauses, until PARSER comes. `value`: the number of the
	 * parser that is lost, 0 for the one that the symbolizer started itself; the command
	 * ignores any number but that of the last one, whose successor may be under way. */
	TM_CONTROL_PARSER_LOST,
	/* collector -> the manager of the service: body.text names a descriptor. KEEP comes with
	 * it: systemd is to keep it for the next collector, which gets it as --kept=NAME:N. DROP:
	 * not any longer. */
	TM_CONTROL_KEEP,
	TM_CONTROL_DROP,
	/* collector: its opener, of the number `value`, ended or did not answer for too long */
	TM_CONTROL_OPENER_LOST,
};

enum tm_failure {
	TM_FAILURE_INTERNAL = 1, /* exit code 1 */
	TM_FAILURE_HOST, /* exit code 3: host or account lacks something, such as BTF or BPF */
	TM_FAILURE_NO_PROCESS, /* exit code 1: a selected pid does not exist */
	TM_FAILURE_PEER,       /* exit code 1: the other program is gone */
};

#define TM_CONTROL_TEXT  512 /* bytes, the NUL included */
#define TM_CONTROL_WORDS 192 /* of a body */

struct tm_control {
	uint32_t kind; /* enum tm_control_kind */
	int32_t code;
	uint64_t value;
	union {
		char text[TM_CONTROL_TEXT];
		struct tm_counts counts;
		uint64_t words[TM_CONTROL_WORDS]; /* of TOP and RESULT: shared/result.h */
	} body;
};

/* Why a program cannot continue. Only the first reason is kept: later failures follow from it. */
struct tm_control_failure {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Records a failure unless there is one already. Return: always -ECANCELED, for the caller to
 * return. */
__attribute__((format(printf, 3, 4))) int tm_control_failure_set(struct tm_control_failure *failure,
								 int code, const char *format, ...);
/* Records "@what: strerror(-r)" if @r is negative. Return: 0, -ECANCELED. */
int tm_control_failure_check(struct tm_control_failure *failure, int code, int r, const char *what);

/* Messages from a program to the command. @socket: -1: there is no command: texts go to stderr, and
 * nothing else goes anywhere. Return: 0, -errno. */
int tm_control_send(int socket, enum tm_control_kind kind, int code, uint64_t value);
int tm_control_send_message(int socket, const struct tm_control *message);
/* One line for the user, without a newline. */
__attribute__((format(printf, 2, 3))) int tm_control_note(int socket, const char *format, ...);
/* @may_skip: send nothing while the socket is full. */
int tm_control_counts(int socket, const struct tm_counts *counts, bool may_skip);
/* The last message of a program that cannot continue. */
int tm_control_failed(int socket, const struct tm_control_failure *failure);

/*
 * Options that `tidemark record` passes in argv. N is the number of an inherited descriptor.
 *
 * tidemark-collector --control-fd=N --wire-fd=N --opener-fd=N (the socket to the opener)
 *	--perf-fd=CPU/NODE:N ... --hz=N --ring-kib=N (0: from hz)
 *	[--memory-bytes=N (of everything) --process-bytes=N (of these, for programs)]
 *	[--may-lower (the symbolizer may lower the rate)] [--selecting] [--restart]
 *	[--keep (KEEP is understood)] [--kept=NAME:N ...]
 *	[--off-cpu=N (stacks a second) --off-cpu-min-ns=N --off-cpu-max-ns=N [--off-cpu-kernel]]
 *	(--restart: the session survives the symbolizer's death; ATTACH brings the next one, or
 *	the first one where there is no --wire-fd)
 * tidemark-opener    --socket-fd=N
 * tidemark-symbolizer --control-fd=N --wire-fd=N --parser-fd=N (the program to exec)
 *	--output=FORMAT:N ... (FORMAT: html, pprof, folded, speedscope; N open for writing)
 *	--hz=N --title=TEXT [--off-cpu] [--memory-bytes=N [--ask-memory]] [--no-demangle]
 *	[--no-lines] [--runtime-internals] [--cpu-max-ppm=N (of all CPUs' time)]
 *	[--folded-lines=python|all|none]
 *	[--debuginfod-fd=N] [--exporter-fd=N] [--spool-fd=N] (N: the sockets to these programs)
 *	[--cache-fd=N --boot-id=TEXT] (N: the unwind table cache, open for reading and writing)
 * tidemark-parser    --socket-fd=N
 * tidemark-debuginfod --socket-fd=N --url=URL ... [--file-bytes=N] [--idle-seconds=N]
 * tidemark-exporter  --socket-fd=N --url=URL [--unix-socket=PATH] [--headers-fd=N]
 *	[--certificate-fd=N] [--client-certificate-fd=N --client-key-fd=N] [--timeout-ms=N]
 *	[--queue-bytes=N] [--flush-seconds=N] (all of them: symbolizer/exporter/options.h)
 * tidemark-spool     --socket-fd=N --directory-fd=N --spool-bytes=N --spool-seconds=N
 *	[--no-io-uring] (all of them: symbolizer/spool/options.h)
 */
