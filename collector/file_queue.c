/* SPDX-License-Identifier: Apache-2.0 */
/* file_queue - announced files that wait to be opened, their owners in turn */

#include "collector/file_queue.h"

#include <stdlib.h>
#include <string.h>

static uint32_t owner_of(const struct tm_file *file)
{
	return file->owner % FILE_QUEUE_OWNERS;
}

bool file_queue_add(struct file_queue *queue, const struct tm_file *file)
{
	bool full = queue->count == FILE_QUEUE_MAX ||
		    queue->waiting[owner_of(file)] == FILE_QUEUE_SHARE;
	struct tm_file *copy = full ? NULL : malloc(file->event.bytes);

	if (!copy)
		return false;
	queue->files[queue->count++] = memcpy(copy, file, file->event.bytes);
	queue->waiting[owner_of(file)]++;
	return true;
}

void file_queue_hung(struct file_queue *queue, const struct tm_file *file, uint64_t now_ms)
{
	struct file_queue_hang *hang = &queue->hangs[owner_of(file)];

	hang->times = now_ms > hang->until_ms + FILE_QUEUE_CALM_MS ? 0 : hang->times;
	hang->device = now_ms < hang->until_ms ? 0 : file->identity.dev;
	hang->until_ms = now_ms + (FILE_QUEUE_HANG_MS << hang->times);
	hang->times += hang->times < FILE_QUEUE_HANGS_MAX;
}

bool file_queue_pauses(const struct file_queue *queue, const struct tm_file *file, uint64_t now_ms)
{
	const struct file_queue_hang *hang = &queue->hangs[owner_of(file)];

	return now_ms < hang->until_ms && (!hang->device || hang->device == file->identity.dev);
}

struct tm_file *file_queue_take(struct file_queue *queue)
{
	uint32_t *turn = queue->turn, next = 0;
	struct tm_file *file;

	if (!queue->count)
		return NULL;
	for (uint32_t i = 1; i < queue->count; i++)
		if ((int32_t)(turn[owner_of(queue->files[i])] -
			      turn[owner_of(queue->files[next])]) < 0)
			next = i;
	file = queue->files[next];
	memmove(&queue->files[next], &queue->files[next + 1],
		(--queue->count - next) * sizeof(struct tm_file *));
	turn[owner_of(file)] = ++queue->turns;
	queue->waiting[owner_of(file)]--;
	return file;
}
