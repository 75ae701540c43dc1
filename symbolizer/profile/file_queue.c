/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_queue - queues of the files whose tables are wanted, in order of arrival
 */

#include "symbolizer/profile/file_queue.h"

#include <sys/socket.h>

#include "shared/fdpass.h"
#include "symbolizer/profile/files_lifetime.h"

/* Every number in the queue has one. */
static struct file_number *entry_of(const struct files *files, uint32_t number)
{
	return file_numbers_find(&files->numbers, number);
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

int file_queue_find(const struct files *files, uint32_t number, uint64_t value,
		    struct file_queue_item *ret_wanted)
{
	const struct file_number *entry = entry_of(files, number);
	const struct file *file = entry && entry->file ? &files->items[entry->file - 1] : NULL;

	if (!entry || !file_queue_is_current(files, number, value))
		return FILE_QUEUE_E_NONE;
	*ret_wanted = (struct file_queue_item){
		.number = number, .value = value, .fd = file ? file->fd : -1};
	if (entry->early && entry->early_ktime == value)
		ret_wanted->fd = entry->early - 1;
	else if (file && file->identified)
		ret_wanted->identity = &file->identity;
	return 0;
}

int file_queue_next(struct files *files, struct file_queue_item *ret_wanted)
{
	while (files->table_first) {
		uint32_t number = files->table_first - 1;
		struct file_number *entry = entry_of(files, number);

		entry->table_wanted = false;
		files->table_first = entry->table_next;
		if (!files->table_first)
			files->table_last = 0;
		if (file_queue_find(files, number, entry->table_ktime, ret_wanted) == 0)
			return 0;
	}
	return FILE_QUEUE_E_NONE;
}

bool file_queue_has_tables(const struct files *files)
{
	return files->table_first || files->tables_taken;
}

bool file_queue_has_symbols(const struct files *files)
{
	return files->symbols_count || files->symbols_taken;
}

uint64_t file_queue_last_value(const struct files *files, uint32_t number)
{
	const struct file_number *entry = entry_of(files, number);

	return entry ? entry->table_ktime : 0;
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
	const struct file_number *entry = entry_of(files, number);

	return !value || (entry && value >= entry->retired_ktime);
}

int file_queue_ask_again(const struct files *files, uint32_t index, int wire, uint32_t *ret_number,
			 uint64_t *ret_value)
{
	const struct file *file = &files->items[index];
	struct tm_wire message = {.kind = TM_WIRE_FILE_AGAIN, .number = file->number};

	if (!file->numbers || !file->opened)
		return FILE_QUEUE_E_NONE;
	message.value = file_queue_last_value(files, file->number);
	*ret_number = message.number;
	*ret_value = message.value;
	return tm_fdpass_send(wire, &message, sizeof(message), -1, MSG_DONTWAIT)
		       ? FILE_QUEUE_E_LATER
		       : 0;
}

void file_queue_add_symbols(struct files *files, uint32_t index)
{
	struct file *file = &files->items[index];

	if (file->symbols == FILE_SYMBOLS_QUEUED)
		return;
	file->symbols = FILE_SYMBOLS_QUEUED;
	file->symbols_next = 0;
	if (files->symbols_last)
		files->items[files->symbols_last - 1].symbols_next = index + 1;
	else
		files->symbols_first = index + 1;
	files->symbols_last = index + 1;
	files->symbols_count++;
}

uint32_t file_queue_next_symbols(struct files *files)
{
	uint32_t index = files->symbols_first - 1;

	if (!files->symbols_first)
		return FILES_NONE;
	files->items[index].symbols = FILE_SYMBOLS_TAKEN;
	files->symbols_first = files->items[index].symbols_next;
	if (!files->symbols_first)
		files->symbols_last = 0;
	files->symbols_count--;
	return index;
}

void file_queue_end_symbols(struct files *files, uint32_t index)
{
	files->items[index].symbols = FILE_SYMBOLS_IDLE;
	files_close(files, index);
	files_free_if_unused(files, index);
}
