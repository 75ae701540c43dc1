/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_queue - queue of the files whose unwind table is wanted, in order of arrival
 */

#include "symbolizer/profile/file_queue.h"

/* @number: one that has an entry, as every number in the queue has. */
static struct file_number *entry_of(const struct files *files, uint32_t number)
{
	return &files->numbers[number / FILES_PAGE][number % FILES_PAGE];
}

void file_queue_add(struct files *files, uint32_t number, uint64_t value)
{
	struct file_number *entry = entry_of(files, number);

	entry->table_ktime = value;
	if (entry->table_wanted)
		return;
	entry->table_wanted = true;
	entry->table_next = 0;
	if (files->table_last)
		entry_of(files, files->table_last - 1)->table_next = number + 1;
	else
		files->table_first = number + 1;
	files->table_last = number + 1;
}

int file_queue_next(struct files *files, struct file_queue_item *ret_wanted)
{
	while (files->table_first) {
		uint32_t number = files->table_first - 1;
		struct file_number *entry = entry_of(files, number);
		const struct file *file = entry->file ? &files->items[entry->file - 1] : NULL;
		struct file_queue_item wanted = {
			.number = number, .value = entry->table_ktime, .fd = file ? file->fd : -1};

		entry->table_wanted = false;
		files->table_first = entry->table_next;
		if (!files->table_first)
			files->table_last = 0;
		if (!file_queue_is_current(files, number, wanted.value))
			continue;
		if (entry->early && entry->early_ktime == wanted.value)
			wanted.fd = entry->early - 1;
		else if (file && file->identified)
			wanted.identity = &file->identity;
		*ret_wanted = wanted;
		return 0;
	}
	return FILE_QUEUE_E_NONE;
}

bool file_queue_has_early(const struct files *files)
{
	const struct file_number *entry;

	for (uint32_t at = files->table_first; at; at = entry->table_next) {
		entry = entry_of(files, at - 1);
		if (entry->early)
			return true;
	}
	return false;
}

bool file_queue_is_current(const struct files *files, uint32_t number, uint64_t value)
{
	return !value || value >= entry_of(files, number)->retired_ktime;
}
