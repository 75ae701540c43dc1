/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_cache - the parser's tables in one file, so that a restart need not have them made again
 *
 * Shape      header | entry head, table | entry head, table | ...; a table is an unwind table
 *            (shared/unwind_table.h) or a symbol table (parser.h), as the parser made it. New ones
 *            are appended as they come. The index is read at the start, a table when it is wanted.
 * Key        the kind, and the identity that the kernel announced (struct tm_identity), whole, but
 *            that the file system may stand in for its device (file_systems.h); never a path, never
 *            what the file says of itself. A table is kept only if the file was
 *            in that state before the parser read it and afterwards (parser_client.h).
 * Boots      tables of a file system that is known by its id are found after a reboot, too; others,
 *            above all of anonymous ones (btrfs, overlay, nfs), within one boot.
 * Pin        the header holds the identity of the parser's program: what another version made is
 *            not believed. A file of another pin is begun anew.
 * Ahead      of the first sample warm_start.h sends what is here, without knowing what is sampled.
 * Trust      the file is taken for hostile: heads are copied once and checked, a table counts only
 *            if its digest does (over a secret of the file, key, length and table) and it passes
 *            the check of its kind. Anything else is forgotten and counted (`refused`). The secret
 *            keeps a file's own table from posing as an entry where a broken walk might begin to
 *            read in it. A hostile parser can lie in the tables of the file that it was given, as
 *            without a cache, and lies on until that file or the parser changes; of no other
 *            file. Whoever can write the cache (root, a symbolizer that was taken over) can do so
 *            for all; an unwind table leads a step nowhere but to user memory.
 * Threads    one thread alone reads and writes the file (table_cache_thread.h); it calls
 *            table_cache_find and what table_cache_write.h declares. The reader of the samples
 *            only queues: table_cache_add, table_cache_requests.h. So a slow disk delays no sample,
 *            and a table by TABLE_CACHE_WAIT_MS at most. The lock of what both use is never held
 *            during I/O. The functions bear two threads that read and write as well: an entry that
 *            is moved is not found meanwhile, and what was read from a place that the entry has
 *            left since is read again.
 * Crash      half an entry fails its digest, or ends the walk; what is behind it is cut off.
 * Limits     TABLE_CACHE_BYTES, TABLE_CACHE_ENTRIES, TABLE_CACHE_TABLE_BYTES; when the file is
 *            full, what was not used for the most sessions goes, until a quarter of it is free.
 *            Of a service each TABLE_CACHE_SESSION_MS are a session.
 *            TABLE_CACHE_QUEUE_BYTES and TABLE_CACHE_QUEUE_TABLES wait to be written; what exceeds
 *            them is not kept, which is counted (`dropped`). TABLE_CACHE_REQUESTS wait to be read.
 * Errors     of writing, which are counted (`unwritten`): the cache is left alone from then on. A
 *            disk that is full gets another attempt after TABLE_CACHE_PAUSE_MS, and the cache is
 *            read meanwhile; but not if entries were being moved.
 */

#include <pthread.h>
#include <stdbool.h>

#include "shared/region.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/unwind/file_systems.h"
#include "symbolizer/unwind/table_cache_file.h"

#define TABLE_CACHE_QUEUE_BYTES  (32ull << 20)
#define TABLE_CACHE_QUEUE_TABLES 512u

#define TABLE_CACHE_REQUESTS     128u
#define TABLE_CACHE_SESSION_MS   3600000u
#define TABLE_CACHE_PAUSE_MS     60000u

_Static_assert(TABLE_CACHE_TABLE_BYTES <= TABLE_CACHE_QUEUE_BYTES, "each table can be queued");

enum table_cache_mark { /* what is to be written into an entry's head */
	TABLE_CACHE_NO_MARK = 0,
	TABLE_CACHE_MARK_USED,
	TABLE_CACHE_MARK_DEAD, /* it was refused, and is not found any more */
};

enum table_cache_start { /* what is to be done before anything else */
	TABLE_CACHE_AS_IT_IS = 0,
	TABLE_CACHE_UNREAD, /* the index is not known yet */
	TABLE_CACHE_CUT,    /* behind the last entry there is something else */
	TABLE_CACHE_ANEW,   /* the file is no cache, or of another pin */
};

struct table_cache_entry {
	struct table_cache_key key;
	uint64_t at; /* of its head in the file */
	uint64_t used;
	uint32_t bytes;
	enum table_cache_mark mark;
	bool moving; /* by the writer */
	uint8_t digest[TM_SHA256_BYTES];
};

struct table_cache_addition { /* a table that is to be appended */
	struct table_cache_key key;
	struct tm_region table; /* owned; sealed */
};

enum table_cache_request_state {
	TABLE_CACHE_REQUEST_FREE = 0,
	TABLE_CACHE_REQUEST_WANTED,
	TABLE_CACHE_REQUEST_READING,
	TABLE_CACHE_REQUEST_ANSWERED,
	TABLE_CACHE_REQUEST_LEFT, /* it is being read, and nobody waits for it any more */
};

struct table_cache_request { /* table_cache_requests.h */
	enum table_cache_request_state state;
	bool ahead; /* it is no use */
	struct table_cache_key key;
	uint64_t order;
	uint64_t end_ms; /* so long the answer is waited for */
	int fd;          /* owned: the answer; -1: there is no table */
};

struct table_cache_counts {
	uint64_t refused;   /* entries */
	uint64_t dropped;   /* tables for which the queue was full */
	uint64_t late;      /* requests that were not answered in time */
	uint64_t unwritten; /* times that something could not be written */
};

/* Whether these bytes, sealed and aligned to a page, are a table of one kind. */
typedef bool (*table_cache_check)(const void *table, size_t bytes);

struct table_cache {
	int fd;            /* owned; -1: no cache */
	uint64_t session;  /* the number of this one */
	uint64_t begun_ms; /* when it began */
	struct table_cache_header header;
	struct file_systems systems;                 /* set before it is opened */
	table_cache_check checks[TABLE_CACHE_KINDS]; /* NULL: none of this kind is used */
	uint64_t end;                                /* of the last entry in the file */
	pthread_mutex_t lock;                        /* of what follows */
	pthread_cond_t wake;                         /* there is something to read or to write */
	struct table_cache_counts counts;
	struct table_cache_request requests[TABLE_CACHE_REQUESTS];
	uint64_t next_order;
	bool stalled; /* a request was late, and no reading or writing has ended since */
	struct table_cache_entry *entries;  /* owned, TABLE_CACHE_ENTRIES of them */
	uint32_t count;                     /* changed by the writer only */
	uint32_t marks;                     /* entries that have one */
	struct table_cache_addition *queue; /* owned, TABLE_CACHE_QUEUE_TABLES; the oldest first */
	uint32_t queued;
	struct budget budget; /* of what is queued */
	enum table_cache_start start;
	bool writing;
	uint64_t pause_end_ms; /* until then the disk is taken to be full */
	bool failed;           /* a write failed, and no other one is tried */
};

#define TABLE_CACHE_NULL                                         \
	((struct table_cache){.fd = -1,                          \
			      .lock = PTHREAD_MUTEX_INITIALIZER, \
			      .wake = PTHREAD_COND_INITIALIZER,  \
			      .budget.limit = TABLE_CACHE_QUEUE_BYTES})

/* What must be as it was when an entry was made. @parser: its program. Return: 0, -errno. */
int table_cache_pin(uint8_t ret_pin[TM_SHA256_BYTES], const struct file_systems *systems,
		    int parser);
/* @cache: may be NULL. */
struct table_cache_key table_cache_key(const struct table_cache *cache, enum table_cache_kind kind,
				       const struct tm_identity *identity);
/* Tables of @kind are used from now on. Before the cache is opened. */
void table_cache_set_check(struct table_cache *cache, enum table_cache_kind kind,
			   table_cache_check check);
/*
 * Takes @fd, a regular file open for reading and writing. Without success there is no cache. The
 * file is read later, by whoever calls table_cache_write_next. @cache: TABLE_CACHE_NULL until now.
 */
void table_cache_open(struct table_cache *cache, int fd, const uint8_t pin[TM_SHA256_BYTES]);
/* Reads header and index. Return: what is to be done next; -errno: the cache cannot be used. */
int table_cache_read_index(struct table_cache *cache);
/* When no thread uses it. What was not written by then is not kept. */
void table_cache_close(struct table_cache *cache);
/* Whether there is an entry. The lock is held. */
bool table_cache_has(const struct table_cache *cache, const struct table_cache_key *key);
/* Reads it. Return: a sealed table that checks, the caller's; -1: there is none. */
int table_cache_find(struct table_cache *cache, const struct table_cache_key *key);
/* The same, and does not count as a use. */
int table_cache_find_ahead(struct table_cache *cache, const struct table_cache_key *key);
/*
 * Queues a table of a file that may be kept and was not found. Takes @table, which is
 * TM_REGION_NULL then.
 */
void table_cache_add(struct table_cache *cache, const struct table_cache_key *key,
		     struct tm_region *table);
/* The counts since the last call. */
struct table_cache_counts table_cache_take_counts(struct table_cache *cache);
