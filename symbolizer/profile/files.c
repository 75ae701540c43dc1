/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files - the files for which the file numbers of frames stand
 */

#include "symbolizer/profile/files.h"

#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/base/file_identity.h"
#include "symbolizer/base/path.h"
#include "symbolizer/profile/file_queue.h"
#include "symbolizer/profile/files_lifetime.h"

static int find_or_add(struct files *files, uint32_t number, uint32_t *ret_index)
{
	struct file_number *entry = file_numbers_get(&files->numbers, number);

	if (!entry)
		return BUDGET_E_SPENT;
	if (!entry->file) {
		if (files_add(files, ret_index))
			return BUDGET_E_SPENT;
		files_begin_number(files, entry, *ret_index);
	}
	*ret_index = entry->file - 1;
	files->items[*ret_index].number = number;
	return 0;
}

uint32_t files_of_identity(const struct files *files, const struct tm_identity *identity)
{
	struct hash_index_walk walk = hash_index_start(files_hash(files, identity));
	uint32_t index;

	while ((index = hash_index_next(&files->lookup, &walk)) != HASH_INDEX_NONE)
		if (memcmp(&files->items[index].identity, identity, sizeof(*identity)) == 0)
			break;
	return index;
}

/* Finds or adds the file of an announcement. Return: 0, BUDGET_E_SPENT. */
static int identify(struct files *files, const struct tm_file *record, struct file_number *number,
		    uint32_t *ret_index)
{
	uint32_t known = files_of_identity(files, &record->identity);
	struct file *file = number->file ? &files->items[number->file - 1] : NULL;

	if (file && file->identified &&
	    memcmp(&file->identity, &record->identity, sizeof(file->identity)) != 0) {
		files->conflicts++;
		files_end_number(files, number);
	}
	if (!number->file && known != HASH_INDEX_NONE)
		files_begin_number(files, number, known);
	if (find_or_add(files, record->number, ret_index))
		return BUDGET_E_SPENT;
	file = &files->items[*ret_index];
	if (!file->identified && known == HASH_INDEX_NONE)
		file->listed = !hash_index_add(&files->lookup, files_hash(files, &record->identity),
					       *ret_index);
	file->identity = record->identity;
	file->identified = true;
	return 0;
}

/* --- descriptors --- */

static void drop_early(struct files *files, struct file_number *number)
{
	if (!number->early)
		return;
	(void)tm_close(number->early - 1);
	number->early = 0;
	files->open--;
}

/* Takes @fd, which `open` already counts. */
static void attach(struct files *files, uint32_t index, int fd)
{
	struct file *file = &files->items[index];

	files_close(files, index);
	file->fd = fd;
	file->reason = TM_NO_FILE_UNANSWERED;
	file->opened = true;
	if (file->identified)
		file_queue_add_symbols(files, index);
}

/* Gives the early descriptor to the file, if the announcement that it answers has been read. */
static void attach_early(struct files *files, struct file_number *number)
{
	int fd = number->early - 1;

	if (!number->early || number->early_ktime > number->announced_ktime)
		return;
	number->early = 0;
	attach(files, number->file - 1, fd);
}

void files_init(struct files *files, struct strings *strings, struct budget *budget,
		struct tm_retire_queue *queue)
{
	*files = (struct files){
		.strings = strings,
		.queue = queue,
		.max_open = FILES_MAX_OPEN,
		.budget = budget,
		.lookup.budget = budget,
	};
	file_numbers_init(&files->numbers, budget);
}

void files_deinit(struct files *files)
{
	if (!files->budget)
		return;
	files_deinit_items(files);
	for (uint32_t i = 0; i < files->numbers.count; i++)
		drop_early(files, &files->numbers.items[i]);
	file_numbers_deinit(&files->numbers);
}

int files_announce(struct files *files, const struct tm_file *record)
{
	struct file_number *number = file_numbers_get(&files->numbers, record->number);
	char text[PATH_TEXT_BYTES];
	uint32_t index, path, name;
	struct file *file;
	const char *base;
	size_t length;

	if (!number || identify(files, record, number, &index))
		return BUDGET_E_SPENT;
	if (record->event.ktime > number->announced_ktime)
		number->announced_ktime = record->event.ktime;
	files_note_use(files, index, record->event.ktime);
	attach_early(files, number);
	if (files->items[index].fd >= 0 && files->items[index].symbols == FILE_SYMBOLS_IDLE)
		file_queue_add_symbols(files, index);
	length = path_unpack(record->text, record->path_bytes, record->event.flags, TM_PATH_CUT,
			     text);
	base = record->path_bytes ? path_base(text) : FILES_NO_NAME;
	if (strings_add(files->strings, text, record->path_bytes ? length : 0, &path) ||
	    strings_add(files->strings, base, strlen(base), &name))
		return BUDGET_E_SPENT;
	file = &files->items[index];
	file->path = path;
	file->base = name;
	file->deleted = (record->event.flags & TM_PATH_DELETED) != 0;
	file->announced = true;
	return 0;
}

void files_retire(struct files *files, uint32_t number, uint64_t ktime)
{
	struct file_number *entry = file_numbers_get(&files->numbers, number);

	if (!entry)
		return;
	if (ktime > files->numbers.retired_ktime)
		files->numbers.retired_ktime = ktime;
	if (entry->early_ktime < ktime)
		drop_early(files, entry);
	entry->announced_ktime = 0;
	if (ktime > entry->retired_ktime)
		entry->retired_ktime = ktime;
	if (entry->file)
		files_end_number(files, entry);
}

int files_find(struct files *files, uint32_t number, uint64_t ktime, uint32_t *ret_file)
{
	if (find_or_add(files, number, ret_file))
		return BUDGET_E_SPENT;
	files_note_use(files, *ret_file, ktime);
	files->items[*ret_file].sampled = true;
	return 0;
}

bool files_is_current(const struct files *files, uint32_t number, uint64_t ktime)
{
	const struct file_number *entry = file_numbers_find(&files->numbers, number);

	return entry && entry->file && entry->retired_ktime <= ktime;
}

void files_opened(struct files *files, uint32_t number, uint64_t ktime, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	struct file_number *entry;
	uint32_t index;

	if (number > TM_FRAME_FILE_MAX)
		return;
	entry = file_numbers_get(&files->numbers, number);
	if (!entry)
		return;
	if (ktime && ktime < entry->retired_ktime) {
		files->stale++;
		return;
	}
	file_queue_add(files, number, ktime);
	if (!files_have_space(files) || !file_identity_is_readable(taken))
		return;
	if (ktime > entry->announced_ktime) {
		drop_early(files, entry);
		entry->early = TM_TAKE_FD(taken) + 1;
		entry->early_ktime = ktime;
		files->open++;
		return;
	}
	if (find_or_add(files, number, &index))
		return;
	files->open++;
	attach(files, index, TM_TAKE_FD(taken));
}

void files_reopened(struct files *files, uint32_t number, uint64_t ktime, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	const struct file_number *entry = file_numbers_find(&files->numbers, number);

	if (!entry || !entry->file || ktime < entry->retired_ktime)
		return;
	if (!files_have_space(files) || !file_identity_is_readable(taken)) {
		if (files->items[entry->file - 1].symbols == FILE_SYMBOLS_IDLE)
			file_queue_add_symbols(files, entry->file - 1);
		return;
	}
	files->open++;
	attach(files, entry->file - 1, TM_TAKE_FD(taken));
}

void files_refused(struct files *files, uint32_t number, uint64_t reason)
{
	uint32_t index;

	if (number > TM_FRAME_FILE_MAX || reason >= TM_NO_FILE_N ||
	    find_or_add(files, number, &index))
		return;
	files->items[index].reason = (uint8_t)reason;
	files->items[index].opened = false;
}

bool files_have_space(const struct files *files)
{
	return files->open < files->max_open;
}
