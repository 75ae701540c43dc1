/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_table - the entries of the files and of the file numbers that stand for them
 *
 * Three modules work on them: files (announcements, descriptors, samples), files_lifetime (when an
 * entry ends) and file_queue (whose unwind table is wanted). What the fields mean together stands
 * in files.h.
 */

#include <stdbool.h>

#include "shared/retire.h"
#include "shared/wire.h"
#include "symbolizer/base/strings.h"

#define FILES_MAX_OPEN     4096u /* descriptors; no credit is given beyond */
#define FILES_MAX          (TM_FRAME_FILE_MAX + 1u)
#define FILES_PAGE         256u
#define FILES_PAGES        (FILES_MAX / FILES_PAGE)
#define FILES_IDLE_NS      (4 * TM_EPOCH_NS) /* RETIRE, when it comes, comes before */
#define FILES_PENDING_PART 16u /* of the descriptors: as many are worth a look at all stacks */

/* Frees what was given to files_keep_symbols. */
typedef void (*files_free_fn)(void *context, void *symbols);

struct file {
	struct tm_identity identity;
	uint64_t seen_ktime;    /* of its last sample or announcement */
	uint64_t symbols_ktime; /* when they were used last */
	void *symbols;          /* owned; NULL: none kept */
	uint32_t path;          /* strings; 0 until announced */
	uint32_t base;
	uint32_t numbers; /* that stand for it */
	uint32_t spare;   /* of a free place: the next one + 1 */
	int fd;           /* -1: none */
	uint8_t used;     /* the place is taken */
	uint8_t reason;   /* enum tm_no_file of the last answer; UNANSWERED when opened */
	uint8_t opened;   /* the last answer was a descriptor, which may be closed by now */
	uint8_t deleted;
	uint8_t announced;
	uint8_t identified; /* identity is known */
	uint8_t listed;     /* under its identity */
	uint8_t sampled;    /* since the last report */
	uint8_t idle;
	uint8_t queued;
	uint8_t symbols_queued;
};

struct file_number {              /* all zero: stands for nothing yet */
	uint64_t retired_ktime;   /* its meaning before ended then */
	uint64_t announced_ktime; /* of the last FILE since */
	uint64_t early_ktime;     /* of the FILE, not read yet, that `early` answers */
	uint64_t table_ktime;     /* of the FILE whose rows are wanted (file_queue.h) */
	uint32_t table_next;      /* number + 1 of who came after it; 0: the last */
	uint32_t file;            /* index + 1 */
	int early;                /* descriptor + 1 */
	uint8_t table_wanted;
};

struct files {
	struct file *items;
	uint32_t count; /* places, free ones included */
	uint32_t capacity;
	uint32_t spare; /* free place + 1 */
	uint32_t live;  /* files that a number stands for */
	uint32_t open;
	uint32_t pending_names; /* ended, with a descriptor that is still to be read */
	uint32_t max_open;      /* FILES_MAX_OPEN, or what the descriptor limit leaves */
	uint32_t table_first;   /* number + 1 whose rows are wanted longest; 0: none */
	uint32_t table_last;
	struct file_number **numbers; /* FILES_PAGES of FILES_PAGE each, once one of them is used */
	struct hash_index lookup;     /* by identity */
	files_free_fn symbols_free;   /* NULL: nobody keeps any */
	void *symbols_context;
	struct strings *strings;       /* borrowed */
	struct tm_retire_queue *queue; /* borrowed; the files outlive their entries */
	uint64_t retired;              /* files that ended */
	uint64_t symbols_retired;
	uint64_t idle_closed;
	uint64_t stale;     /* descriptors of a meaning that had ended */
	uint64_t conflicts; /* a second meaning without RETIRE: older samples may bear its name */
};
