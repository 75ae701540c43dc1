/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cache_magic - the first bytes of the table cache (symbolizer/unwind/table_cache.h)
 *
 * The command opens the cache for the symbolizer, and for writing only if it has those that all
 * versions have in common: it writes to no other file. That of another version is begun anew.
 */

#define TM_CACHE_MAGIC        "TMTABL4\n"
#define TM_CACHE_MAGIC_BYTES  8
#define TM_CACHE_MAGIC_COMMON 6
