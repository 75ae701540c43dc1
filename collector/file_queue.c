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

static bool is_slow(const struct file_queue *queue, const struct tm_file *file, uint64_t now_ms)
{
	for (unsigned i = 0; i < FILE_QUEUE_DEVICES; i++)
		if (queue->devices[i].device == file->identity.dev &&
		    now_ms < queue->devices[i].until_ms)
			return true;
	return false;
}

void file_queue_hung(struct file_queue *queue, const struct tm_file *file, uint64_t now_ms)
{
	struct file_queue_hang *hang = &queue->hangs[owner_of(file)];

	if (now_ms < hang->until_ms && hang->device == file->identity.dev)
		return; /* it was in another lane before the pause */
	queue->devices[queue->device_hangs++ % FILE_QUEUE_DEVICES] =
		(struct file_queue_device){now_ms + FILE_QUEUE_CALM_MS, file->identity.dev};
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

static unsigned taken_of(const struct file_queue *queue, uint32_t owner)
{
	unsigned count = 0;

	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		count += queue->taken[i] && owner_of(queue->taken[i]) == owner;
	return count;
}

/* Whether this file of an owner of whom @taken are taken may be, too. */
static bool may_take(const struct file_queue *queue, const struct tm_file *file, unsigned taken,
		     bool slow_taken, uint64_t now_ms)
{
	const struct file_queue_hang *hang = &queue->hangs[owner_of(file)];
	bool hung = hang->times && now_ms <= hang->until_ms + FILE_QUEUE_CALM_MS;

	return taken < (hung ? 1 : FILE_QUEUE_LANES - 1) &&
	       !(slow_taken && is_slow(queue, file, now_ms));
}

/* Return: the index of the next file; queue->count: there is none. */
static uint32_t find_next(const struct file_queue *queue, uint64_t now_ms)
{
	uint32_t next = queue->count;
	uint64_t least = UINT64_MAX;
	bool slow_taken = false;

	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		slow_taken |= queue->taken[i] && is_slow(queue, queue->taken[i], now_ms);
	for (uint32_t i = 0; i < queue->count; i++) {
		uint32_t owner = owner_of(queue->files[i]);
		uint32_t last = queue->turn[owner] - queue->turns - 1; /* less: longer ago */
		unsigned taken = taken_of(queue, owner);
		uint64_t rank = (uint64_t)(taken > 0) << 32 | last;

		if (rank < least && may_take(queue, queue->files[i], taken, slow_taken, now_ms)) {
			next = i;
			least = rank;
		}
	}
	return next;
}

struct tm_file *file_queue_take(struct file_queue *queue, uint64_t now_ms)
{
	uint32_t next = find_next(queue, now_ms), lane = 0;
	struct tm_file *file;

	while (lane < FILE_QUEUE_LANES && queue->taken[lane])
		lane++;
	if (next == queue->count || lane == FILE_QUEUE_LANES)
		return NULL;
	queue->taken[lane] = file = queue->files[next];
	memmove(&queue->files[next], &queue->files[next + 1],
		(--queue->count - next) * sizeof(struct tm_file *));
	queue->turn[owner_of(file)] = ++queue->turns;
	queue->waiting[owner_of(file)]--;
	return file;
}

void file_queue_done(struct file_queue *queue, const struct tm_file *file)
{
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		if (queue->taken[i] == file)
			queue->taken[i] = NULL;
}
