/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache_file - the layout of the cache's file, its digests, and whole reads and writes
 *
 * Return of each function: 0, -errno (-EIO: the file is shorter, or the disk is full).
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/cache_magic.h"
#include "shared/event.h"
#include "shared/sha256.h"

#define TABLE_CACHE_BYTES   (256ull << 20)
#define TABLE_CACHE_ENTRIES 4096u
/*
 * Of one entry: with it, a file that was just shrunk is within its limit. Larger tables are not
 * kept.
 */
#define TABLE_CACHE_TABLE_BYTES ((32u << 20) - 4096)
#define TABLE_CACHE_TABLE_MIN   32u

#define TABLE_CACHE_LIVE        0x45574d54u /* "TMWE" */
#define TABLE_CACHE_DEAD        0x58574d54u /* "TMWX": refused once, skipped since */

enum table_cache_kind { /* whose check a table must pass (table_cache_set_check) */
	TABLE_CACHE_UNWIND = 1,
	TABLE_CACHE_SYMBOLS = 2,
	TABLE_CACHE_KINDS, /* and one more */
};

struct table_cache_key {
	uint64_t kind; /* enum table_cache_kind */
	struct tm_identity identity;
	uint64_t pinned; /* to what its device number, or 0, belongs (file_systems.h) */
};

struct table_cache_header { /* in the file */
	char magic[TM_CACHE_MAGIC_BYTES];
	uint8_t pin[TM_SHA256_BYTES];
	uint8_t secret[TM_SHA256_BYTES];
};

struct table_cache_head { /* in the file, before the table */
	uint32_t state;   /* TABLE_CACHE_LIVE, TABLE_CACHE_DEAD */
	uint32_t bytes;   /* of the table */
	uint64_t used;    /* the session that used it last; no part of the digest */
	struct table_cache_key key;
	uint8_t digest[TM_SHA256_BYTES];
};

_Static_assert(sizeof(struct table_cache_header) == 72, "layout");
_Static_assert(sizeof(struct table_cache_head) == 112, "layout");

int table_cache_file_read(int fd, void *ret_bytes, size_t count, uint64_t at);
int table_cache_file_write(int fd, const void *bytes, size_t count, uint64_t at);
/* Towards the beginning of the file. The two places may overlap. By one thread at a time. */
int table_cache_file_move(int fd, uint64_t from, uint64_t to, uint64_t count);
/* Of an entry: @head's length and key, and its table. */
void table_cache_file_digest(const struct table_cache_header *header,
			     const struct table_cache_head *head, const void *table,
			     uint8_t ret_digest[TM_SHA256_BYTES]);
