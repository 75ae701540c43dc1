/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files - what the file numbers of frames stand for
 */

#include "symbolizer/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "symbolizer/path.h"

static int same(const struct tm_identity *a, const struct tm_identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_sec == b->mtime_sec && a->mtime_nsec == b->mtime_nsec &&
	       a->generation == b->generation;
}

static int add(struct files *files, uint32_t number)
{
	/* An index must fit the file bits of a frame word. */
	if (files->count >= FILES_MAX)
		return BUDGET_E_SPENT;
	if (budget_grow(files->strings->budget, &files->items, &files->capacity, files->count + 1,
			sizeof(*files->items)))
		return BUDGET_E_SPENT;
	files->items[files->count] = (struct file){.number = number, .fd = -1};
	files->by_number[number] = ++files->count;
	return 0;
}

static int readable_regular(int fd)
{
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !(flags & O_PATH) &&
	       fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int files_init(struct files *files, struct strings *strings)
{
	*files = (struct files){.strings = strings, .max_open = FILES_MAX_OPEN};
	files->by_number = calloc(FILES_MAX, sizeof(*files->by_number));
	return files->by_number ? 0 : -ENOMEM;
}

void files_deinit(struct files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		files_close(files, i);
	free(files->by_number);
	files->by_number = NULL;
	if (files->strings)
		budget_drop(files->strings->budget, &files->items, &files->capacity,
			    sizeof(*files->items));
	files->count = 0;
}

int files_replaces(const struct files *files, const struct tm_file *record)
{
	uint32_t known = files->by_number[record->number];

	return known && files->items[known - 1].announced &&
	       !same(&files->items[known - 1].identity, &record->identity);
}

int files_announce(struct files *files, const struct tm_file *record)
{
	char text[PATH_TEXT_BYTES];
	const char *base;
	struct file *file;
	uint32_t index, path, name;
	size_t length;

	if (files_replaces(files, record) && add(files, record->number))
		return BUDGET_E_SPENT;
	if (files_find(files, record->number, &index))
		return BUDGET_E_SPENT;
	length = path_unpack(record->text, record->path_bytes, record->event.flags, TM_PATH_CUT,
			     text);
	base = record->path_bytes ? path_base(text) : FILES_NO_NAME;
	if (strings_add(files->strings, text, record->path_bytes ? length : 0, &path) ||
	    strings_add(files->strings, base, strlen(base), &name))
		return BUDGET_E_SPENT;
	file = &files->items[index];
	file->identity = record->identity;
	file->path = path;
	file->base = name;
	file->deleted = (record->event.flags & TM_PATH_DELETED) != 0;
	file->announced = 1;
	return 0;
}

int files_find(struct files *files, uint32_t number, uint32_t *ret_file)
{
	if (!files->by_number[number] && add(files, number))
		return BUDGET_E_SPENT;
	*ret_file = files->by_number[number] - 1;
	return 0;
}

void files_opened(struct files *files, uint32_t number, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	uint32_t index;

	if (number > TM_FRAME_FILE_MAX || !files_have_room(files) || !readable_regular(taken) ||
	    files_find(files, number, &index))
		return;
	files_close(files, index);
	files->items[index].fd = TM_TAKE_FD(taken);
	files->items[index].reason = 0;
	files->open++;
}

void files_refused(struct files *files, uint32_t number, uint64_t reason)
{
	uint32_t index;

	if (number > TM_FRAME_FILE_MAX || reason >= TM_NO_FILE_N ||
	    files_find(files, number, &index))
		return;
	files->items[index].reason = (uint8_t)reason;
}

int files_have_room(const struct files *files)
{
	return files->open < files->max_open;
}

void files_close(struct files *files, uint32_t file)
{
	if (files->items[file].fd < 0)
		return;
	files->items[file].fd = tm_close(files->items[file].fd);
	files->open--;
}
