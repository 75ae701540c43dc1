/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files - what the file numbers of frames stand for
 *
 * Shape      a number stands for one file at a time until RETIRE; frames are kept by the file's index,
 *            so that a number's next meaning does not rename what was sampled before. One identity is
 *            one index, whatever numbers it had.
 * Owns       the descriptors that came over the wire, and for a layer above what it keeps of a file
 *            (`symbols`): freed by its own function, at the moment that is decided here.
 * Order      announcement, descriptor and sample may come in any order. A descriptor says which
 *            announcement it answers: one that is not read yet keeps it waiting beside the number, one
 *            from before RETIRE is closed.
 * Life       a file ends with the last number that stands for it; its descriptor with it, or, while what
 *            was sampled of it has no names yet (`pending_names`), once it has them. Where RETIRE does not
 *            come, a descriptor is closed after FILES_IDLE_NS without a sign of the file. Symbols go two
 *            epochs after their last use. What a sample that is not reported yet refers to keeps its
 *            index, path and symbols; files_forget ends that.
 */

#include "shared/retire.h"
#include "shared/wire.h"
#include "symbolizer/base/strings.h"

#define FILES_MAX_OPEN     4096u /* descriptors; no credit is given beyond */
#define FILES_NO_NAME      "[unknown file]"
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

/* Return: 0, -ENOMEM. */
int files_init(struct files *files, struct strings *strings, struct tm_retire_queue *queue);
void files_deinit(struct files *files);
/* Return: 0, BUDGET_E_SPENT. */
int files_announce(struct files *files, const struct tm_file *record);
/* The number stands for nothing until it is announced again; samples before were given in. */
void files_retire(struct files *files, uint32_t number, uint64_t ktime);
/* The index that a checked number of a sample stands for. Return: 0, BUDGET_E_SPENT. */
int files_find(struct files *files, uint32_t number, uint64_t ktime, uint32_t *ret_file);
/*
 * Takes @fd if it is a regular file open for reading and there is room, else closes it. In either case
 * its rows are wanted now (file_queue.h).
 * @ktime: of the announcement it answers; 0: whatever the number stands for.
 */
void files_opened(struct files *files, uint32_t number, uint64_t ktime, int fd);
void files_refused(struct files *files, uint32_t number, uint64_t reason);
int files_have_room(const struct files *files);
/* Whether room is short and reading the pending_names ones gives some back. */
int files_are_pending(const struct files *files);
int files_is_pending(const struct file *file);
void files_close(struct files *files, uint32_t file);
/* Takes @symbols, used at @ktime, in place of what was kept of the file. */
void files_keep_symbols(struct files *files, uint32_t file, void *symbols, uint64_t ktime);
/*
 * Everything sampled was reported: files that ended go, the strings of the others move to @fresh; one
 * that finds no room there is nameless until it announces itself again.
 */
void files_forget(struct files *files, struct strings *fresh);
