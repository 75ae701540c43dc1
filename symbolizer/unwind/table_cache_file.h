/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_file - the layout of the cache's file, whole reads and writes, and making room in it
 *
 * Return of each function: 0, -errno (-EIO: the file is shorter, or the disk is full).
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/control.h"
#include "symbolizer/base/sha256.h"

#define TABLE_CACHE_BYTES   (64ull << 20)
#define TABLE_CACHE_ENTRIES 4096u
/*
 * Of one entry: with it, a file that was just shrunk is within its limit. Larger tables are not
 * kept.
 */
#define TABLE_CACHE_ROWS_BYTES ((16u << 20) - 4096)

#define TABLE_CACHE_LIVE       0x45574d54u /* "TMWE" */
#define TABLE_CACHE_DEAD       0x58574d54u /* "TMWX": refused once, skipped since */

struct table_cache_header { /* in the file */
	char magic[TM_CACHE_MAGIC_BYTES];
	uint8_t pin[SHA256_BYTES];
	uint8_t secret[SHA256_BYTES];
};

struct table_cache_head { /* in the file, before the rows */
	uint32_t state;   /* TABLE_CACHE_LIVE, TABLE_CACHE_DEAD */
	uint32_t bytes;   /* of the rows, a multiple of 8 */
	uint64_t used;    /* the session that used it last; no part of the digest */
	struct tm_identity identity;
	uint8_t digest[SHA256_BYTES];
};

_Static_assert(sizeof(struct table_cache_header) == 72, "layout");
_Static_assert(sizeof(struct table_cache_head) == 88, "layout");

struct table_cache_entry {
	struct tm_identity identity;
	uint64_t at; /* of its head in the file */
	uint64_t used;
	uint32_t bytes;
	uint8_t digest[SHA256_BYTES];
};

struct table_cache {
	int fd;                            /* owned; -1: no cache */
	struct table_cache_entry *entries; /* owned, TABLE_CACHE_ENTRIES of them */
	uint32_t count;
	uint64_t end;     /* of the last entry in the file */
	uint64_t session; /* the number of this one */
	struct table_cache_header header;
	uint64_t refused;
};

#define TABLE_CACHE_KEPT_BYTES   (TABLE_CACHE_BYTES / 4 * 3)
#define TABLE_CACHE_KEPT_ENTRIES (TABLE_CACHE_ENTRIES / 4 * 3)

_Static_assert(TABLE_CACHE_KEPT_BYTES + sizeof(struct table_cache_head) + TABLE_CACHE_ROWS_BYTES <=
		       TABLE_CACHE_BYTES,
	       "one more fits");

int table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
/* Drops what was not used for longest, down to TABLE_CACHE_KEPT_*, and moves the rest together. */
int table_cache_file_shrink(struct table_cache *cache);
