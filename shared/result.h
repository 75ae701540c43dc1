/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * result - what the symbolizer reports to the command of the samples that reached it
 *
 * Shape      struct tm_top and struct tm_result are the bodies of the messages TOP and RESULT
 *            (shared/control.h). A count by reason is indexed by its enum; shared/reasons.h has the
 *            names.
 * Trust      the command does not trust the symbolizer: it cleans the texts, and checks the sums
 *            with the collector's counts.
 */

#include <stdint.h>

#include "shared/control.h"

#define TM_TOP_ROWS 10
#define TM_TOP_NAME 160

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
	X(NO_FILE, no_file)         /* the file's descriptor had to be closed before that */   \
	X(BUDGET, budget)           /* what its worker needs does not fit into --memory-max */

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
	X(NO_MAPPING, no_mapping)   /* it has no mapping: see `unresolved` */                      \
	X(NO_METHOD, no_method)     /* a runtime's function whose name had not come */

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

/* What became of the requests by which reports are sent (OTLP). X(upper, lower) */
#define TM_EXPORTS(X)                                                                            \
	X(DELIVERED, delivered)                                                                  \
	X(REFUSED, refused)         /* by the server, for good */                                \
	X(UNTRUSTED, untrusted)     /* a certificate is invalid: the server's, or ours */        \
	X(FAILED, failed)           /* the server does not speak HTTP, or the URL is invalid */  \
	X(EXPIRED, expired)         /* the server was not reached, or was busy, for too long */  \
	X(QUEUE_FULL, queue_full)   /* too many bytes or requests waited */                      \
	X(TOO_LARGE, too_large)     /* a request that cannot be made smaller */                  \
	X(UNFINISHED, unfinished)   /* not known to be delivered when the recording ended */     \
	X(NO_EXPORTER, no_exporter) /* the exporter was lost */                                  \
	X(SPOOLED, spooled)         /* kept in the spool, to be sent later or not at all */      \
	X(SPOOL_LOST, spool_lost)   /* the spool refused it, or gave it up before it was sent */ \
	X(MEMORY, memory)           /* there was no memory for it */

enum tm_export {
#define TM_EXPORT(upper, lower) TM_EXPORT_##upper,
	TM_EXPORTS(TM_EXPORT)
#undef TM_EXPORT
	TM_EXPORT_N,
};

struct tm_export_result {
	uint64_t requests[TM_EXPORT_N];
	uint64_t samples[TM_EXPORT_N]; /* in these requests */
	uint64_t replayed;             /* requests of earlier recordings that got a final answer */
	uint64_t rejected;             /* profiles of delivered ones, as the server says */
	uint64_t bytes;                /* of all, as sent */
	uint64_t spool_bytes;          /* that the spool holds, as it said last; as the next ones */
	uint64_t spool_reach_ns;       /* how far back it reaches, */
	uint64_t spool_least_ns;       /* and the share of whom it had to shorten; 0: nobody's */
};

#define TM_MEMORY_N 8 /* shares of the memory: memory_share.h */

/* Of the kind off-CPU: samples and the ns that they stand for. */
struct tm_off_cpu_result {
	uint64_t exported;
	uint64_t exported_ns;
	uint64_t drops[TM_DROP_N];
	uint64_t drops_ns[TM_DROP_N];
	uint64_t in_progress;    /* sleeps that had not ended when the report was made */
	uint64_t in_progress_ns; /* of these, in this interval; not in exported_ns */
	uint64_t woken;          /* of those exported: with the stack of who ended the sleep */
	uint64_t wakers_lost;    /* samples of wakers for which there was no memory */
};

/* What became of the samples that reached the symbolizer. Written by the symbolizer. */
struct tm_result {
	uint64_t exported;             /* samples */
	uint64_t on_cpu_ns;            /* that they stand for */
	uint64_t shown;                /* the total that the rows of TOP are parts of */
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
	uint64_t tables_made;     /* unwind tables handed to the collector */
	uint64_t tables_empty;    /* files without unwind information: their table is empty */
	uint64_t tables_cached;   /* of those made, found in the cache */
	uint64_t symbols_cached;  /* symbol tables that were found in the cache */
	uint64_t cache_refused;   /* cache entries that failed their check */
	uint64_t cache_dropped;   /* tables that were not kept: too many waited to be written */
	uint64_t cache_late;      /* tables that were made: the cache's file was not read in time */
	uint64_t cache_unwritten; /* times that something could not be written into the cache */
	uint64_t parsers_lost;    /* parsers that exited or sent an invalid message */
	uint64_t parse_failures[TM_PARSE_N]; /* requests, by reason */
	uint64_t debuginfod[TM_DEBUGINFOD_N];
	uint64_t child_cpu_ns;            /* of the parser and its workers */
	uint64_t child_rss_bytes;         /* of the largest of them */
	struct tm_export_result export;   /* since the symbolizer's start, as far as known */
	struct tm_off_cpu_result off_cpu; /* `exported` and `drops` above are on-CPU's alone */
};

_Static_assert(sizeof(struct tm_top) <= TM_CONTROL_WORDS * sizeof(uint64_t), "fits into a message");
_Static_assert(sizeof(struct tm_result) <= TM_CONTROL_WORDS * sizeof(uint64_t),
	       "fits into a message");

/* The body of a TOP. */
static inline struct tm_top *tm_result_top(struct tm_control *message)
{
	return (struct tm_top *)message->body.words;
}

/* The body of a RESULT. */
static inline struct tm_result *tm_result_body(struct tm_control *message)
{
	return (struct tm_result *)message->body.words;
}
