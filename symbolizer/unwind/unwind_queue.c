/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_queue - the files whose rows are wanted, in the order in which their descriptors arrived
 */

#include "symbolizer/unwind/unwind_queue.h"

/* Of a number in the list, or one that has an entry otherwise. */
static struct file_number *entry_of(const struct files *files, uint32_t number)
{
	return &files->numbers[number / FILES_PAGE][number % FILES_PAGE];
}

void unwind_queue_want(struct files *files, uint32_t number, uint64_t value)
{
	struct file_number *entry = entry_of(files, number);

	entry->rows_ktime = value;
	if (entry->rows_wanted)
		return;
	entry->rows_wanted = 1;
	entry->rows_next = 0;
	if (files->rows_last)
		entry_of(files, files->rows_last - 1)->rows_next = number + 1;
	else
		files->rows_first = number + 1;
	files->rows_last = number + 1;
}

int unwind_queue_next(struct files *files, struct unwind_queue *ret_wanted)
{
	while (files->rows_first) {
		uint32_t number = files->rows_first - 1;
		struct file_number *entry = entry_of(files, number);
		const struct file *file = entry->file ? &files->items[entry->file - 1] : NULL;
		struct unwind_queue wanted = {
			.number = number, .value = entry->rows_ktime, .fd = file ? file->fd : -1};

		entry->rows_wanted = 0;
		files->rows_first = entry->rows_next;
		if (!files->rows_first)
			files->rows_last = 0;
		if (!unwind_queue_stand(files, number, wanted.value))
			continue;
		if (entry->early && entry->early_ktime == wanted.value)
			wanted.fd = entry->early - 1;
		else if (file && file->identified)
			wanted.identity = &file->identity;
		*ret_wanted = wanted;
		return 0;
	}
	return UNWIND_QUEUE_E_NONE;
}

int unwind_queue_are_early(const struct files *files)
{
	const struct file_number *entry;

	for (uint32_t at = files->rows_first; at; at = entry->rows_next) {
		entry = entry_of(files, at - 1);
		if (entry->early)
			return 1;
	}
	return 0;
}

int unwind_queue_stand(const struct files *files, uint32_t number, uint64_t value)
{
	return !value || value >= entry_of(files, number)->retired_ktime;
}
