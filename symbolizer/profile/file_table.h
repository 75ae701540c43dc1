/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_table - the table of files, and the file numbers that stand for them
 *
 * Three modules use them: files (announcements, descriptors, samples), files_lifetime (when an
 * entry is freed) and file_queue (files whose tables are wanted). files.h explains how the
 * fields belong together.
 */

#include <stdbool.h>

#include "shared/retire.h"
#include "shared/wire.h"
#include "symbolizer/base/strings.h"
#include "symbolizer/profile/file_numbers.h"

#define FILES_MAX_OPEN 4096u /* descriptors; no credit is sent beyond this */
#define FILES_MAX      (TM_FRAME_FILE_MAX + 1u)
#define FILES_IDLE_NS  (4 * TM_EPOCH_NS) /* longer than it takes until a RETIRE arrives */
#define FILES_NONE     0xffffffffu       /* no index */

enum file_symbols {
	FILE_SYMBOLS_IDLE = 0,
	FILE_SYMBOLS_QUEUED, /* the file is in the queue of those whose symbols are wanted */
	FILE_SYMBOLS_TAKEN,  /* it was removed from it and is to be added again or ended */
};

struct file {
	struct tm_identity identity;
	uint64_t seen_ktime;   /* time of the last sample or announcement */
	uint64_t lines_ktime;  /* `seen_ktime` when its lines were asked for (line_retire.h) */
	uint32_t path;         /* string; 0 until announced */
	uint32_t base;         /* string: the last component of the path */
	uint32_t number;       /* the last file number that stood for it */
	uint32_t numbers;      /* how many file numbers stand for it */
	uint32_t symbols_next; /* the next in the queue: its index + 1; 0: none */
	uint32_t next_free;    /* in an unused entry: index + 1 of the next one */
	int fd;                /* owned; -1: none */
	bool used;             /* the entry is in use */
	uint8_t reason;        /* enum tm_no_file; UNANSWERED: no answer, or a descriptor */
	bool opened;           /* the last answer was a descriptor, which may be closed again */
	bool deleted;
	bool announced;
	bool identified; /* `identity` is set */
	bool listed;     /* it is in `lookup` under its identity */
	bool sampled;    /* a sample since the last report refers to it */
	bool idle;       /* nothing named it for FILES_IDLE_NS */
	bool queued;     /* the retire queue refers to it, for `idle` */
	uint8_t symbols; /* enum file_symbols */
};

struct files {
	struct file *items;
	uint32_t count; /* entries, free ones included */
	uint32_t capacity;
	uint32_t first_free;    /* index + 1 of the first unused entry; 0: none */
	uint32_t live;          /* files for which a number stands */
	uint32_t open;          /* descriptors held */
	uint32_t max_open;      /* FILES_MAX_OPEN, or less if the descriptor limit is lower */
	uint32_t table_first;   /* head of the queue: number + 1; 0: it is empty */
	uint32_t table_last;    /* its tail, likewise */
	uint32_t symbols_first; /* head of the other queue: index + 1; 0: it is empty */
	uint32_t symbols_last;  /* its tail, likewise */
	uint32_t symbols_count; /* its length */
	uint32_t tables_taken;  /* removed from the queue, the parser not yet asked for them; */
	uint32_t symbols_taken; /* likewise */
	struct file_numbers numbers;
	struct hash_index lookup;      /* by identity */
	struct budget *budget;         /* borrowed: of the entries alone */
	struct strings *strings;       /* borrowed */
	struct tm_retire_queue *queue; /* borrowed; the files outlive their entries */
	uint64_t retired;              /* files whose last number was retired */
	uint64_t idle_closed;          /* descriptors of files that became idle */
	uint64_t stale;                /* descriptors that arrived after RETIRE of their number */
	uint64_t conflicts;            /* numbers announced for another file without RETIRE */
};
