/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files_lifetime - decides how long a file, its descriptor and its symbols are kept
 */

#include "symbolizer/profile/files_lifetime.h"

#include <string.h>

#include "shared/cleanup.h"

/* Return: @ktime + @ns, without overflow. */
static uint64_t later(uint64_t ktime, uint64_t ns)
{
	return ktime > UINT64_MAX - ns ? UINT64_MAX : ktime + ns;
}

static void free_symbols(struct files *files, struct file *file)
{
	if (file->symbols)
		files->symbols_free(files->symbols_context, file->symbols);
	file->symbols = NULL;
}

static void drop_symbols(struct files *files, struct file *file)
{
	files->symbols_retired += file->symbols != NULL;
	free_symbols(files, file);
}

/* Frees the entry of a retired file, unless a sample or the retire queue refers to it. */
static void free_if_unused(struct files *files, uint32_t index)
{
	struct file *file = &files->items[index];

	if (file->numbers || file->sampled)
		return;
	files_close(files, index);
	drop_symbols(files, file);
	if (file->queued || file->symbols_queued)
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
		free_if_unused(files, index);
	} else if (later(file->seen_ktime, FILES_IDLE_NS) > ktime) {
		enqueue(files, index);
	} else {
		file->idle = true;
		files->idle_closed += file->fd >= 0;
		if (!file->sampled)
			files_close(files, index);
	}
}

static void on_symbols_due(void *context, uint64_t ktime, uint64_t value);

static void enqueue_symbols(struct files *files, uint32_t index)
{
	struct file *file = &files->items[index];

	if (file->symbols && !file->symbols_queued)
		file->symbols_queued =
			!tm_retire_at(files->queue, later(file->symbols_ktime, 2 * TM_EPOCH_NS),
				      on_symbols_due, files, index);
}

static void on_symbols_due(void *context, uint64_t ktime, uint64_t value)
{
	struct files *files = context;
	struct file *file = &files->items[value];
	uint64_t due = later(file->symbols_ktime, 2 * TM_EPOCH_NS);

	file->symbols_queued = false;
	if (file->sampled)
		return; /* files_forget queues them again */
	if (due > ktime)
		enqueue_symbols(files, (uint32_t)value);
	if (!file->symbols_queued)
		drop_symbols(files, file);
	free_if_unused(files, (uint32_t)value);
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
	if (file->numbers++)
		return;
	files->live++;
	files->pending_names -= file->fd >= 0;
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
	files->pending_names += file->fd >= 0;
	free_if_unused(files, index);
}

void files_close(struct files *files, uint32_t file)
{
	struct file *item = &files->items[file];

	if (item->fd < 0)
		return;
	files->pending_names -= !item->numbers;
	item->fd = tm_close(item->fd);
	files->open--;
}

void files_keep_symbols(struct files *files, uint32_t index, void *symbols, uint64_t ktime)
{
	struct file *file = &files->items[index];

	if (symbols != file->symbols)
		free_symbols(files, file);
	file->symbols = symbols;
	file->symbols_ktime = ktime;
	enqueue_symbols(files, index);
}

void files_deinit_items(struct files *files)
{
	for (uint32_t i = 0; i < files->count; i++) {
		files_close(files, i);
		free_symbols(files, &files->items[i]);
	}
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
			free_if_unused(files, i);
			continue;
		}
		if (file->idle)
			files_close(files, i);
		enqueue(files, i);
		enqueue_symbols(files, i);
	}
	files->strings = fresh;
}
