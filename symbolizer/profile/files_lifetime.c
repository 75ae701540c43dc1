/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files_lifetime - decides how long a file and its descriptor are kept
 */

#include "symbolizer/profile/files_lifetime.h"

#include <string.h>

#include "shared/cleanup.h"

/* Return: @ktime + @ns, without overflow. */
static uint64_t later(uint64_t ktime, uint64_t ns)
{
	return ktime > UINT64_MAX - ns ? UINT64_MAX : ktime + ns;
}

void files_free_if_unused(struct files *files, uint32_t index)
{
	struct file *file = &files->items[index];

	if (file->numbers || file->sampled)
		return;
	files_close(files, index);
	if (file->queued || file->symbols != FILE_SYMBOLS_IDLE)
		return;
	if (file->listed)
		hash_index_remove(&files->lookup, files_hash(files, &file->identity), index);
	*file = (struct file){.fd = -1, .next_free = files->first_free};
	files->first_free = index + 1;
}

static void on_idle_due(void *context, uint64_t ktime, uint64_t value);

static void enqueue(struct files *files, uint32_t index)
{
	struct file *file = &files->items[index];

	if (!file->queued && file->numbers)
		file->queued = !tm_retire_at(files->queue, later(file->seen_ktime, FILES_IDLE_NS),
					     on_idle_due, files, index);
}

static void on_idle_due(void *context, uint64_t ktime, uint64_t value)
{
	struct files *files = context;
	uint32_t index = (uint32_t)value;
	struct file *file = &files->items[index];

	file->queued = false;
	if (!file->numbers) {
		files_free_if_unused(files, index);
	} else if (later(file->seen_ktime, FILES_IDLE_NS) > ktime) {
		enqueue(files, index);
	} else {
		file->idle = true;
		files->idle_closed += file->fd >= 0;
		if (!file->sampled)
			files_close(files, index);
	}
}

/* Return: 0, BUDGET_E_SPENT. */
static int move_names(struct file *file, const struct strings *from, struct strings *to)
{
	const char *path = from->items[file->path];
	const char *base = from->items[file->base];

	return strings_add(to, path, strlen(path), &file->path) ||
	       strings_add(to, base, strlen(base), &file->base);
}

uint32_t files_hash(const struct files *files, const struct tm_identity *identity)
{
	return hash_bytes(files->strings->seed, identity, sizeof(*identity));
}

void files_note_use(struct files *files, uint32_t index, uint64_t ktime)
{
	struct file *file = &files->items[index];

	if (ktime > file->seen_ktime)
		file->seen_ktime = ktime;
	file->idle = false;
	enqueue(files, index);
}

int files_add(struct files *files, uint32_t *ret_index)
{
	uint32_t index;

	if (!files->first_free) {
		/* An index must fit the file bits of an encoded frame. */
		if (files->count >= FILES_MAX ||
		    budget_grow(files->budget, &files->items, &files->capacity, files->count + 1,
				sizeof(*files->items)))
			return BUDGET_E_SPENT;
		files->first_free = ++files->count;
	}
	index = files->first_free - 1;
	files->first_free = files->items[index].next_free;
	files->items[index] = (struct file){.fd = -1, .used = true};
	*ret_index = index;
	return 0;
}

void files_begin_number(struct files *files, struct file_number *number, uint32_t index)
{
	struct file *file = &files->items[index];

	number->file = index + 1;
	files->live += file->numbers++ == 0;
}

void files_end_number(struct files *files, struct file_number *number)
{
	uint32_t index = number->file - 1;
	struct file *file = &files->items[index];

	number->file = 0;
	if (--file->numbers)
		return;
	files->live--;
	files->retired++;
	files_free_if_unused(files, index);
}

void files_close(struct files *files, uint32_t file)
{
	struct file *item = &files->items[file];

	if (item->fd < 0)
		return;
	item->fd = tm_close(item->fd);
	files->open--;
}

void files_deinit_items(struct files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		files_close(files, i);
	hash_index_deinit(&files->lookup);
	budget_drop(files->budget, &files->items, &files->capacity, sizeof(*files->items));
	files->count = 0;
	files->first_free = 0;
}

void files_forget(struct files *files, struct strings *fresh)
{
	for (uint32_t i = 0; i < files->count; i++) {
		struct file *file = &files->items[i];

		if (!file->used)
			continue;
		file->sampled = false;
		if (!file->numbers || move_names(file, files->strings, fresh)) {
			file->announced = false;
			file->path = 0;
			file->base = 0;
		}
		if (!file->numbers) {
			files_free_if_unused(files, i);
			continue;
		}
		if (file->idle)
			files_close(files, i);
		enqueue(files, i);
	}
	file_numbers_forget(&files->numbers);
	files->strings = fresh;
}
