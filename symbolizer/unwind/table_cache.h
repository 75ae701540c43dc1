/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - tables of rows in one file, so that a restart need not have them made again
 *
 * Shape      header | entry head, rows | entry head, rows | ...; each rows is one table of
 *            shared/unwind_table.h. New ones are appended as they come. The index is read at the
 *            start, rows when they are wanted.
 * Key        the identity that the kernel announced (struct tm_identity), whole; never a path,
 *            never what the file says of itself. It is kept only if the file was in that state
 *            before the parser read it and afterwards (parser_client.h).
 * Pin        the numbers of devices, above all of anonymous file systems (btrfs, overlay, nfs),
 *            mean something else after a reboot, so the header holds a digest of the boot id: the
 *            cache serves restarts within one boot. With it goes the identity of the parser's
 *            program: what another version made is not believed. A file of another pin is begun
 *            anew.
 * Trust      the file is taken for hostile: heads are copied once and checked, rows count only if
 *            their digest does (over a secret of the file, identity, length and rows) and they pass
 *            tm_unwind_table_check. Anything else is forgotten and counted (`refused`). The secret
 *            keeps a file's own rows from posing as an entry where a broken walk might begin to
 *            read in them. A hostile parser can lie in the rows of the file that it was given, as
 *            without a cache, and lies on until that file changes or the host boots; of no other
 *            file. Whoever can write the cache (root, a symbolizer that was taken over) can do so
 *            for all; rows lead a step nowhere but to user memory.
 * Threads    one thread reads the file: it calls what is declared here. Another one alone writes
 *            it (table_cache_write.h), so that a slow disk delays no sample and no table. Both
 *            change the index, under its lock, which is never held during I/O. An entry that the
 *            writer moves is not found meanwhile; what was read from a place that the entry has
 *            left since is read again.
 * Crash      half an entry fails its digest, or ends the walk; what is behind it is cut off.
 * Limits     TABLE_CACHE_BYTES, TABLE_CACHE_ENTRIES, TABLE_CACHE_ROWS_BYTES; when the file is full,
 *            what was not used for the most sessions goes, until a quarter of the file is free.
 *            TABLE_CACHE_QUEUE_BYTES and TABLE_CACHE_QUEUE_TABLES wait to be written; what exceeds
 *            them is not kept, which is counted (`dropped`).
 * Errors     of writing: the cache is left alone from then on.
 */

#include <pthread.h>
#include <stdbool.h>

#include "shared/region.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/unwind/table_cache_file.h"

#define TABLE_CACHE_QUEUE_BYTES  (32ull << 20)
#define TABLE_CACHE_QUEUE_TABLES 512u

_Static_assert(TABLE_CACHE_ROWS_BYTES <= TABLE_CACHE_QUEUE_BYTES, "each table can be queued");

enum table_cache_mark { /* what is to be written into an entry's head */
	TABLE_CACHE_NO_MARK = 0,
	TABLE_CACHE_MARK_USED,
	TABLE_CACHE_MARK_DEAD, /* it was refused, and is not found any more */
};

enum table_cache_start { /* what is to be written before anything else */
	TABLE_CACHE_AS_IT_IS = 0,
	TABLE_CACHE_CUT,  /* behind the last entry there is something else */
	TABLE_CACHE_ANEW, /* the file is no cache, or of another pin */
};

struct table_cache_entry {
	struct tm_identity identity;
	uint64_t at; /* of its head in the file */
	uint64_t used;
	uint32_t bytes;
	enum table_cache_mark mark;
	bool moving; /* by the writer */
	uint8_t digest[SHA256_BYTES];
};

struct table_cache_addition { /* a table that is to be appended */
	struct tm_identity identity;
	struct tm_region rows; /* owned; sealed */
};

struct table_cache {
	int fd;           /* owned; -1: no cache */
	uint64_t session; /* the number of this one */
	struct table_cache_header header;
	uint64_t refused;                   /* the reader's */
	uint64_t dropped;                   /* the reader's: tables for which the queue was full */
	uint64_t end;                       /* the writer's: of the last entry in the file */
	pthread_mutex_t lock;               /* of what follows */
	struct table_cache_entry *entries;  /* owned, TABLE_CACHE_ENTRIES of them */
	uint32_t count;                     /* changed by the writer only */
	uint32_t marks;                     /* entries that have one */
	struct table_cache_addition *queue; /* owned, TABLE_CACHE_QUEUE_TABLES; the oldest first */
	uint32_t queued;
	struct budget budget; /* of what is queued */
	enum table_cache_start start;
	bool writing;
	bool failed; /* a write failed */
};

#define TABLE_CACHE_NULL                                         \
	((struct table_cache){.fd = -1,                          \
			      .lock = PTHREAD_MUTEX_INITIALIZER, \
			      .budget.limit = TABLE_CACHE_QUEUE_BYTES})

/* What must be as it was when an entry was made. @parser: its program. Return: 0, -errno. */
int table_cache_pin(uint8_t ret_pin[SHA256_BYTES], const char *boot_id, int parser);
/*
 * Takes @fd, a regular file open for reading and writing. Without success there is no cache. Before
 * there is a writer.
 */
void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[SHA256_BYTES]);
/* After the writer's end. What was not written by then is not kept. */
void table_cache_close(struct table_cache *cache);
/* Return: a sealed table that checks, the caller's; -1: there is none. */
int table_cache_find(struct table_cache *cache, const struct tm_identity *identity);
/*
 * Queues a table that checks, of a file that may be kept and was not found. Takes @rows, which is
 * TM_REGION_NULL then.
 */
void table_cache_add(struct table_cache *cache, const struct tm_identity *identity,
		     struct tm_region *rows);
