/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - tables of rows in one file, so that a restart need not have them made again
 *
 * Shape      header | entry head, rows | entry head, rows | ...; each rows is one table of shared/unwind_table.h.
 *            New ones are appended as they come. The index is read at the start, rows when they are wanted.
 * Key        the identity that the kernel announced (struct tm_identity), whole; never a path, never
 *            what the file says of itself. It is kept only if the descriptor's own size and
 *            modification time agree.
 * Pin        the numbers of devices, above all of anonymous file systems (btrfs, overlay, nfs), mean
 *            something else after a reboot, so the header holds a digest of the boot id: the cache
 *            serves restarts within one boot. With it goes the identity of the parser's program: what
 *            another version made is not believed. A file of another pin is begun anew.
 * Trust      the file is taken for hostile: heads are copied once and checked, rows count only if their
 *            digest does (over a secret of the file, identity, length and rows) and they pass
 *            tm_unwind_table_check. Anything else is forgotten and counted (`refused`). The secret keeps a
 *            file's own rows from posing as an entry where a broken walk might begin to read in them.
 *            A hostile parser can lie in the rows of the file that it was given, as without a cache, and
 *            lies on until that file changes or the host boots; of no other file. Whoever can write
 *            the cache (root, a symbolizer that was taken over) can do so for all; rows lead a step
 *            nowhere but to user memory.
 * Crash      half an entry fails its digest, or ends the walk; what is behind it is cut off.
 * Limits     TABLE_CACHE_BYTES, TABLE_CACHE_ENTRIES, TABLE_CACHE_ROWS_BYTES; when there is no room, what was not used for
 *            the most sessions goes, until a quarter of the file is free.
 * Errors     of reading or writing: the cache is left alone from then on.
 */

#include <stddef.h>

#include "shared/control.h"
#include "symbolizer/base/sha256.h"

#define TABLE_CACHE_BYTES   (64ull << 20)
#define TABLE_CACHE_ENTRIES 4096u
/* Of one entry, with which a file that was just shrunk is still within its limit; larger tables are made
 * each time. */
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
#define TABLE_CACHE_NULL ((struct table_cache){.fd = -1})

/* What must be as it was when an entry was made. @parser: its program. Return: 0, -errno. */
int table_cache_pin(uint8_t ret_pin[SHA256_BYTES], const char *boot_id, int parser);
/* Takes @fd, a regular file open for reading and writing. Without success there is no cache. */
void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[SHA256_BYTES]);
void table_cache_close(struct table_cache *cache);
/* Return: a sealed table that checks, the caller's; -1: there is none. */
int table_cache_find(struct table_cache *cache, const struct tm_identity *identity);
/* Whether the descriptor's own size and time are those that the kernel announced. */
int table_cache_may_keep(const struct tm_identity *identity, int fd);
/* @rows: a table that checks, of a file that may be kept and was not found. */
void table_cache_add(struct table_cache *cache, const struct tm_identity *identity,
		     const void *rows, size_t bytes);
