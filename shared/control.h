/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - messages between the command `tidemark` and the two programs it starts
 *
 * Shape      one SEQPACKET socketpair per program; the program inherits its end under the number
 *            given by --control-fd. Every message is one struct tm_control.
 * Sequence   collector:   READY; START -> STARTED; COUNTS about four times a second; EMPTY once,
 *            when the last selected process has exited; STOP -> COUNTS, DONE.
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
	TM_CONTROL_START, /* every SELECT has been sent: start sampling */
	TM_CONTROL_STOP,  /* stop sampling, drain the rings, publish, send END on the wire */
	TM_CONTROL_CPU, /* `value`: a CPU that came online; with the descriptor of its perf event */
	TM_CONTROL_ATTACH, /* a new symbolizer; with the collector's end of the wire to it */
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
	TM_CONTROL_COUNTS,     /* body.counts, body.cost */
	TM_CONTROL_OUTPUT,     /* `value`: index of the output; `code`: 0 or -errno of writing it */
	TM_CONTROL_TOP,        /* body.top: one row of the table of functions, in order */
	TM_CONTROL_RESULT,     /* body.result */
	TM_CONTROL_NOTE,       /* body.text: one line for the user */
	TM_CONTROL_DONE,       /* the program exits now; `code`: 0 or -errno */
	TM_CONTROL_FLUSHED,    /* ends the answer to one FLUSH; `value`: W up to which it reports */
	TM_CONTROL_FAILED,     /* `code`: enum tm_failure, body.text: one sentence for the user */
	/* symbolizer -> command: its parser exited or sent an invalid message, and another one is
	 * needed. Sent again, with growing pauses, until PARSER comes. `value`: the number of the
	 * parser that is lost, 0 for the one that the symbolizer started itself; the command
	 * ignores any number but that of the last one, whose successor may be under way. */
	TM_CONTROL_PARSER_LOST,
};

enum tm_failure {
	TM_FAILURE_INTERNAL = 1, /* exit code 1 */
	TM_FAILURE_HOST, /* exit code 3: host or account lacks something, such as BTF or BPF */
	TM_FAILURE_NO_PROCESS, /* exit code 1: a selected pid does not exist */
	TM_FAILURE_PEER,       /* exit code 1: the other program is gone */
};

#define TM_CONTROL_TEXT 512 /* bytes, the NUL included */
#define TM_TOP_ROWS     10
#define TM_TOP_NAME     160

/* First bytes of the unwind table cache (symbolizer/unwind/table_cache.h). The command writes to no
 * file that lacks them. */
#define TM_CACHE_MAGIC       "TMROWS2\n"
#define TM_CACHE_MAGIC_BYTES 8

struct tm_top {
	uint64_t self;  /* samples with the function as their leaf frame */
	uint64_t total; /* samples with the function in any frame */
	char name[TM_TOP_NAME];
	char file[64]; /* base name of its file, or [kernel] */
};

/* Why the parser could not process a file for now; the file is tried again. X(upper, lower) */
#define TM_PARSE_FAILURES(X)                                                                   \
	X(DEADLINE, deadline)       /* no answer in time, or its worker was killed for that */ \
	X(CRASHED, crashed)         /* its worker exited without an answer */                  \
	X(CPU, cpu_time)            /* its worker used more CPU time than it may */            \
	X(MEMORY, memory)           /* ... or more memory */                                   \
	X(QUARANTINED, quarantined) /* one of these three happened within the last hour */     \
	X(RESOURCES, resources)     /* the file could not be read */                           \
	X(CHANGED, changed)         /* the file changed while it was read */                   \
	X(REFUSED, refused)         /* the parser accepted no further request */               \
	X(NO_PARSER, no_parser)     /* the parser was lost, and the next not yet started */    \
	X(NO_FILE, no_file)         /* the file's descriptor had to be closed before that */

enum tm_parse_failure {
#define TM_PARSE_FAILURE(upper, lower) TM_PARSE_##upper,
	TM_PARSE_FAILURES(TM_PARSE_FAILURE)
#undef TM_PARSE_FAILURE
	TM_PARSE_N,
};

/* Why a frame has no name. X(upper, lower) */
#define TM_UNNAMED_REASONS(X)                                                                      \
	X(NO_SYMBOL, no_symbol)   /* no symbol of its file covers it */                            \
	X(NO_SYMBOLS, no_symbols) /* its file has none */                                          \
	X(NOT_ELF, not_elf)       /* its file is not ELF, or of another machine */                 \
	X(TOO_LARGE, too_large)   /* its file exceeds a limit of the parser */                     \
	X(MALFORMED, malformed) /* its file, or the table that the parser made, does not check */  \
	X(CHANGED, changed)     /* its file was changed after it was sampled */                    \
	X(NOT_OPENED, not_opened)   /* its file was not opened: see `unopened` */                  \
	X(NOT_PARSED, not_parsed)   /* the parser failed for now: see `parse_failures` */          \
	X(PENDING, pending)         /* the symbols had not come yet when the report was made */    \
	X(EVICTED, evicted)         /* the symbols were dropped in favour of others */             \
	X(MEMORY, memory)           /* a memory budget was spent */                                \
	X(ANONYMOUS, anonymous)     /* code in no file, such as a JIT compiler's, without a map */ \
	X(MAP_REFUSED, map_refused) /* the same; its map was not opened: see `unopened` */         \
	X(KERNEL, kernel)           /* no kernel symbol covers it */                               \
	X(NO_MAPPING, no_mapping)   /* it has no mapping: see `unresolved` */

enum tm_unnamed {
#define TM_UNNAMED(upper, lower) TM_UNNAMED_##upper,
	TM_UNNAMED_REASONS(TM_UNNAMED)
#undef TM_UNNAMED
	TM_UNNAMED_N,
};

/* Requests for debug files to debuginfod servers. X(upper, lower) */
#define TM_DEBUGINFOD_COUNTS(X)                                            \
	X(ASKED, asked)                                                    \
	X(FOUND, found)                                                    \
	X(MISSING, missing)     /* no server has the file */               \
	X(TOO_LARGE, too_large) /* longer than DEBUGINFOD_FILE_MAX */      \
	X(FAILED, failed)       /* a server could not be asked, or hung */ \
	X(REFUSED, refused)     /* found, but not the file's debug file */

enum tm_debuginfod_count {
#define TM_DEBUGINFOD(upper, lower) TM_DEBUGINFOD_##upper,
	TM_DEBUGINFOD_COUNTS(TM_DEBUGINFOD)
#undef TM_DEBUGINFOD
	TM_DEBUGINFOD_N,
};

/* Why a frame that may have source lines has none. X(upper, lower) */
#define TM_NO_LINE_REASONS(X)                                                                 \
	X(NO_DEBUG_INFO, no_debug_info) /* its file has none */                               \
	X(NOT_COVERED, not_covered)     /* that of its file says nothing of its address */    \
	X(PENDING, lines_pending)       /* they were not read yet when the report was made */ \
	X(NOT_OPENED, not_opened)       /* its file could not be opened again */              \
	X(NOT_PARSED, not_parsed)       /* the parser failed, or its result does not check */ \
	X(CHANGED, changed)             /* its file was changed after it was sampled */       \
	X(SPLIT_DEBUG, split_debug)     /* they are in a .dwo file, which is not read */      \
	X(CPU_TIME, cpu_time)           /* the CPU time for reading lines was spent */        \
	X(MEMORY, memory)               /* a memory budget was spent */

enum tm_no_line {
#define TM_NO_LINE(upper, lower) TM_NO_LINE_##upper,
	TM_NO_LINE_REASONS(TM_NO_LINE)
#undef TM_NO_LINE
	TM_NO_LINE_N,
};

#define TM_MEMORY_N 7 /* shares of the memory: memory_share.h */

/* What became of the samples that reached the symbolizer. Written by the symbolizer. */
struct tm_result {
	uint64_t exported;             /* samples */
	uint64_t drops[TM_DROP_N];     /* samples, by reason; the symbolizer's own reasons only */
	uint64_t truncated[TM_STOP_N]; /* stacks, by reason */
	uint64_t merged;               /* of those exported: deep frames are left out, for memory */
	uint64_t frames;
	uint64_t unnamed_frames;        /* of those, shown as file+offset or [reason] */
	uint64_t unnamed[TM_UNNAMED_N]; /* the same by reason */
	uint64_t lines;                 /* frames with a source line */
	uint64_t no_line[TM_NO_LINE_N]; /* frames of files with symbols that have none, by reason */
	uint64_t undemangled;           /* function names that the parser did not answer for */
	uint64_t unresolved[TM_UNRESOLVED_N]; /* frames, by reason */
	uint64_t unopened[TM_NO_FILE_N];      /* sampled files without a descriptor, by reason */
	uint64_t late_records;                /* older than a W published before them; must be 0 */
	uint64_t processes, files, stacks;
	uint64_t memory_limit, memory_peak; /* bytes; the peak since the start, */
	uint64_t memory_peaks[TM_MEMORY_N], memory_refused[TM_MEMORY_N]; /* as of each share */
	uint64_t tables_made;   /* unwind tables handed to the collector */
	uint64_t tables_empty;  /* files without unwind information: their table is empty */
	uint64_t tables_cached; /* of those made, found in the cache */
	uint64_t cache_refused; /* cache entries that failed their check */
	uint64_t cache_dropped; /* tables that were not kept: too many waited to be written */
	uint64_t parsers_lost;  /* parsers that exited or sent an invalid message */
	uint64_t parse_failures[TM_PARSE_N]; /* requests, by reason */
	uint64_t debuginfod[TM_DEBUGINFOD_N];
	uint64_t child_cpu_ns;    /* of the parser and its workers */
	uint64_t child_rss_bytes; /* of the largest of them */
};

/* Sent with TM_CONTROL_COUNTS. Written by the collector. */
struct tm_collector_cost {
	uint64_t child_cpu_ns; /* of the opener and its workers; 0 until they have exited */
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

/* Messages from a program to the command. Return: 0, -errno. */
int tm_control_send(int socket, enum tm_control_kind kind, int code, uint64_t value);
int tm_control_send_message(int socket, const struct tm_control *message);
/* One line for the user, without a newline. */
__attribute__((format(printf, 2, 3))) int tm_control_note(int socket, const char *format, ...);
/* @cost: NULL: unknown. @may_skip: send nothing while the socket is full. */
int tm_control_counts(int socket, const struct tm_counts *counts,
		      const struct tm_collector_cost *cost, bool may_skip);
/* The last message of a program that cannot continue. */
int tm_control_failed(int socket, const struct tm_control_failure *failure);

enum {
	TM_CONTROL_E_NONE = 1,   /* no message is there */
	TM_CONTROL_E_CLOSED = 2, /* the other end is closed, or sent an invalid message */
};

/* Never waits. @ret_fd: -1 if none came, else the caller's. Return: 0, TM_CONTROL_E_*. */
int tm_control_receive(int socket, struct tm_control *ret_message, int *ret_fd);
/* Whether the other end is closed; messages from it may still be waiting. */
bool tm_control_is_closed(int socket);

/*
 * Options that `tidemark record` passes in argv. N is the number of an inherited descriptor.
 *
 * tidemark-collector --control-fd=N --wire-fd=N --opener-fd=N (the program to exec)
 *	--perf-fd=CPU:N ... --hz=N --ring-kib=N (0: from hz) [--table-bytes=N]
 *	[--selecting] [--restart]
 *	(--restart: the session survives the symbolizer's death; ATTACH brings the next one)
 * tidemark-opener    --socket-fd=N
 * tidemark-symbolizer --control-fd=N --wire-fd=N --parser-fd=N (the program to exec)
 *	--output=FORMAT:N ... (FORMAT: html, pprof, folded, speedscope; N open for writing)
 *	--hz=N --title=TEXT [--memory-bytes=N] [--no-demangle] [--no-lines]
 *	[--debuginfod-fd=N] (N: the socket to tidemark-debuginfod)
 *	[--cache-fd=N --boot-id=TEXT] (N: the unwind table cache, open for reading and writing)
 * tidemark-parser    --socket-fd=N
 * tidemark-debuginfod --socket-fd=N --url=URL ... [--file-bytes=N] [--idle-seconds=N]
 */
