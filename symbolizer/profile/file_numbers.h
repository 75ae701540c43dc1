/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_numbers - what is known of each file number
 *
 * Shape      a hash table, since the collector's numbers are scattered (bpf/file.bpf.h): memory for
 *            those that are in use, not for a range.
 * Lifetime   an entry that stands for nothing is forgotten FILE_NUMBERS_KEPT_NS after its RETIRE.
 *            Until then it tells a late answer for the old file from one for the number's next
 *            file; none is as late as that.
 * Owner      `early` is the caller's to close.
 * Pointers   to entries are valid until the next file_numbers_get of a number without an entry.
 */

#include <stdbool.h>

#include "symbolizer/base/hash_index.h"

#define FILE_NUMBERS_KEPT_NS 300000000000ull /* ten times what a parser's worker may take */

struct file_number {
	uint32_t number;
	uint32_t next_free;       /* in an unused entry: index + 1 of the next one */
	uint64_t retired_ktime;   /* of its last RETIRE; 0: none */
	uint64_t announced_ktime; /* of its last FILE record after that; 0: none */
	uint64_t early_ktime;     /* of the FILE record, not read yet, that `early` belongs to */
	uint64_t table_ktime; /* of the FILE record whose unwind table is wanted (file_queue.h) */
	uint32_t table_next;  /* the next in the queue: its number + 1; 0: none */
	uint32_t file;        /* the file it stands for: index + 1; 0: none */
	int early; /* owned: descriptor + 1 that arrived before its FILE record was read; 0: none */
	bool table_wanted;
	bool used; /* the entry is in use */
};

struct file_numbers {
	struct hash_index lookup;
	struct file_number *items;
	uint32_t count; /* entries, unused ones included */
	uint32_t capacity;
	uint32_t first_free;    /* index + 1 of the first unused entry; 0: none */
	uint64_t retired_ktime; /* of the last RETIRE of any number */
	struct budget *budget;  /* borrowed */
};

void file_numbers_init(struct file_numbers *numbers, struct budget *budget);
void file_numbers_deinit(struct file_numbers *numbers);
/* Return: the entry of @number, NULL: it has none. */
struct file_number *file_numbers_find(const struct file_numbers *numbers, uint32_t number);
/* The same, with an entry that stands for nothing where there was none. NULL: the budget is spent.
 */
struct file_number *file_numbers_get(struct file_numbers *numbers, uint32_t number);
/* Frees the entries whose time is over. */
void file_numbers_forget(struct file_numbers *numbers);
