/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * memory_share - the shares of the symbolizer's memory, by who uses them
 */

#include "shared/result.h"

/* X(upper, lower) */
#define TM_MEMORY_SHARES(X)                                                                  \
	X(PROFILE, profile)         /* samples since the last report; processes and files */ \
	X(REPORT, report)           /* reports that are made, and what they are made of */   \
	X(ORDER, order)             /* samples that wait for W */                            \
	X(SYMBOLS, symbols)         /* symbol tables */                                      \
	X(LINES, lines)             /* source lines */                                       \
	X(DEMANGLED, demangled)     /* demangled names */                                    \
	X(CACHE_QUEUE, cache_queue) /* unwind tables that wait to be kept on disk */         \
	X(WORKERS, workers)         /* the parser's workers */

enum tm_memory_share {
#define TM_MEMORY(upper, lower) TM_MEMORY_##upper,
	TM_MEMORY_SHARES(TM_MEMORY)
#undef TM_MEMORY
};

#define TM_MEMORY(upper, lower) +1
_Static_assert(0 TM_MEMORY_SHARES(TM_MEMORY) == TM_MEMORY_N, "result.h says how many");
#undef TM_MEMORY
