/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - what the command `tidemark` and the two programs it starts say to each other
 *
 * Shape      one SEQPACKET socketpair per program, its end inherited under the number given by
 *            --control-fd; fixed-size messages. The command trusts neither program: text is
 *            length-checked and cleaned before it is printed. The programs trust the command.
 * Order      collector:  READY, then (START -> STARTED), COUNTS about four times a second, EMPTY
 *            once when a selection has died out, (STOP -> COUNTS, DONE). symbolizer: READY,
 *            then after the collector's END on the wire: one OUTPUT per output, TOP x n, RESULT, DONE.
 *            FAILED ends either at any time; so does end of file.
 * Every      TARGET replaces the descriptor of one output (a regular file open for writing; of
 *            another nothing is kept, and its OUTPUT says -EBADF). Each descriptor serves one report:
 *            it is closed once written, so every FLUSH, and STOP, wants TARGETs before it; the first
 *            report may use those of --output. FLUSH is answered by the same words as the end but
 *            DONE: OUTPUT.., TOP.., COUNTS, RESULT, FLUSHED (`value`: the W up to which it tells), in
 *            this order. COUNTS and RESULT are of that report's interval alone: taken = exported
 *            + drops holds in each, and those of all reports, the last included, add up to the
 *            whole. Without a FLUSH the last report's are those of the whole recording.
 */

#include <stdint.h>

#include "shared/wire.h"

enum tm_control_kind {
	/* command -> collector */
	TM_CONTROL_SELECT = 1, /* `value`: pid in the command's PID namespace to mark */
	TM_CONTROL_START,      /* marks are said: attach; the perf events start to run */
	TM_CONTROL_STOP,       /* stop sampling, drain, publish, END on the wire */
	TM_CONTROL_CPU,    /* `value`: a CPU that came online; with its perf event's descriptor */
	TM_CONTROL_ATTACH, /* a new symbolizer; with the collector's end of the wire to it */
	/* command -> symbolizer, with --every */
	TM_CONTROL_OUTPUT_FILE =
		10,        /* `value`: index of an output; with a descriptor for the next report */
	TM_CONTROL_FLUSH,  /* report what is older than W into these, and go on */
	TM_CONTROL_RESUME, /* after READY, to one that follows a dead one: body.counts are in reports
			   * already, the last of which ended at W `value`; tell the rest */
	TM_CONTROL_PARSER, /* answers PARSER_LOST, with the socket of a new parser */
	/* program -> command */
	TM_CONTROL_READY = 16, /* loaded / sandboxed; `value` unused */
	TM_CONTROL_STARTED,    /* sampling is attached */
	TM_CONTROL_EMPTY,      /* none of the selection is left */
	TM_CONTROL_COUNTS,     /* body.counts */
	TM_CONTROL_OUTPUT,  /* `value` = index of the output, `code` = 0 or -errno of writing it */
	TM_CONTROL_TOP,     /* body.top: one row of the table, in order */
	TM_CONTROL_RESULT,  /* body.result */
	TM_CONTROL_NOTE,    /* body.text: one line for the person at the terminal */
	TM_CONTROL_DONE,    /* the program will now exit; `code` = 0 or -errno */
	TM_CONTROL_FLUSHED, /* ends OUTPUT, TOP and RESULT of one FLUSH */
	TM_CONTROL_FAILED,  /* `code` = enum tm_failure, body.text: the sentence */
	/* symbolizer -> command: its parser ended or broke the form, and it wants another one. It is sent
	 * again, with growing pauses, until PARSER comes. */
	TM_CONTROL_PARSER_LOST,
};

enum tm_failure {
	TM_FAILURE_INTERNAL = 1, /* exit 1 */
	TM_FAILURE_HOST,         /* this host or account cannot: BTF, BPF refused, a wall; exit 3 */
	TM_FAILURE_NO_PROCESS,   /* a selected pid does not exist; exit 1 */
	TM_FAILURE_PEER,         /* the other program went away; exit 1 */
};

#define TM_CONTROL_TEXT 512
#define TM_TOP_ROWS     10
#define TM_TOP_NAME     160

/* The cache of rows (symbolizer/unwind/table_cache.h) begins so; another file is none, and nobody writes to it. */
#define TM_CACHE_MAGIC       "TMROWS1\n"
#define TM_CACHE_MAGIC_BYTES 8

struct tm_top {
	uint64_t self;  /* samples with the function as leaf */
	uint64_t total; /* samples with the function anywhere */
	char name[TM_TOP_NAME];
	char file[64]; /* base name of its file, or [kernel] */
};

/* Why the parser's work on a file failed for now. X(upper, lower) */
#define TM_PARSE_FAILURES(X)                                                           \
	X(DEADLINE, deadline)   /* no answer in time, or its worker was killed then */ \
	X(CRASHED, crashed)     /* its worker ended without an answer */               \
	X(RESOURCES, resources) /* memory, or reading the file */                      \
	X(CHANGED, changed)     /* the file changed while it was read */               \
	X(REFUSED, refused)     /* the parser took no further request */               \
	X(NO_PARSER, no_parser) /* the parser was lost, and the next one not there */  \
	X(NO_FILE, no_file)     /* the file's descriptor had to be closed before that */

enum tm_parse_failure {
#define TM_PARSE_FAILURE(upper, lower) TM_PARSE_##upper,
	TM_PARSE_FAILURES(TM_PARSE_FAILURE)
#undef TM_PARSE_FAILURE
	TM_PARSE_N,
};

struct tm_result { /* what became of the samples that reached the symbolizer */
	uint64_t exported;
	uint64_t drops[TM_DROP_N]; /* the symbolizer's own reasons only */
	uint64_t truncated[TM_STOP_N];
	uint64_t frames;
	uint64_t unnamed_frames; /* of those, shown as file+offset or [reason] */
	uint64_t unresolved[TM_UNRESOLVED_N];
	uint64_t late_records; /* older than a W published before them; must be 0 */
	uint64_t processes, files, stacks;
	uint64_t parsers_failed; /* files whose symbols could not be read */
	uint64_t parsers_abandoned;
	uint64_t rows_made;     /* tables of rows that were handed to the collector */
	uint64_t rows_failed;   /* files answered with an empty one: no unwind information */
	uint64_t rows_cached;   /* of those made, found in the cache */
	uint64_t cache_refused; /* entries of the cache that did not check */
	uint64_t parsers_lost;  /* ended, or broke the form */
	uint64_t parse_failures[TM_PARSE_N]; /* requests, by reason */
	uint64_t child_cpu_ns;               /* of the parser and its workers */
	uint64_t child_rss_bytes;            /* largest of them */
};

struct tm_collector_cost {     /* rides in TM_CONTROL_COUNTS */
	uint64_t child_cpu_ns; /* of the opener and its workers, once waited for */
	uint64_t child_rss_bytes;
};

struct tm_control {
	uint32_t kind; /* enum tm_control_kind */
	int32_t code;
	uint64_t value;
	union {
		char text[TM_CONTROL_TEXT];
		struct {
			struct tm_counts counts;
			struct tm_collector_cost cost;
		};
		struct tm_top top;
		struct tm_result result;
	} body;
};

/* Why a program cannot go on. The first reason is kept: what fails after it fails because of it. */
struct tm_control_failure {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Return: always -ECANCELED, so that a caller can return it. */
__attribute__((format(printf, 3, 4))) int tm_control_failure_set(struct tm_control_failure *fault,
								 int code, const char *format, ...);
/* @r: below 0, it is a failure: "@what: its error". Return: 0, -ECANCELED. */
int tm_control_failure_check(struct tm_control_failure *fault, int code, int r, const char *what);

/*
 * Messages of a program to the command. Each call waits until the command reads, which it always
 * does; only counts may be skipped instead. Return: 0, -errno where the command is gone.
 */
int tm_control_send(int socket, enum tm_control_kind kind, int code, uint64_t value);
/* One line for the person at the terminal. */
__attribute__((format(printf, 2, 3))) int tm_control_note(int socket, const char *format, ...);
/* @cost: NULL: none is known. @may_skip: do not wait for a command that is slow to read. */
int tm_control_counts(int socket, const struct tm_counts *counts,
		      const struct tm_collector_cost *cost, int may_skip);
/* The last message of a program that cannot go on. */
int tm_control_failed(int socket, const struct tm_control_failure *fault);

/*
 * Descriptors and options that `tidemark record` hands over, all by number in argv:
 *
 * tidemark-collector --control-fd=N --wire-fd=N --opener-fd=N (the program to exec)
 *	--perf-fd=CPU:N ... --hz=N --ring-kib=N (0: from hz) [--table-bytes=N] [--selecting] [--restart]
 *	(--restart: the symbolizer's death does not end the session; ATTACH brings the next one)
 * tidemark-opener    --socket-fd=N
 * tidemark-symbolizer --control-fd=N --wire-fd=N --parser-fd=N (the program to exec)
 *	--output=FORMAT:N ... (FORMAT: html, pprof, folded, speedscope; N open for writing)
 *	--hz=N --title=TEXT [--profile-bytes=N]
 *	[--cache-fd=N --boot-id=TEXT] (N: the cache of rows, open for reading and writing)
 * tidemark-parser    --socket-fd=N
 */
