/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_queue - announced files that wait to be opened, their owners in turn
 *
 * Turn       next is the oldest file of the owner that had its last turn longest ago. So whoever
 *            brings many files waits for his own, not others for him.
 * Owner      the queue owns copies of records until they are taken. Whoever brings files is known
 *            by one of FILE_QUEUE_OWNERS values, from struct tm_file; who shares one shares its
 *            turn.
 * Limits     FILE_QUEUE_MAX files, FILE_QUEUE_SHARE of one owner; others are not added.
 * Threads    one.
 */

#include <stdbool.h>

#include "shared/event.h"

#define FILE_QUEUE_MAX    1024u
#define FILE_QUEUE_SHARE  256u
#define FILE_QUEUE_OWNERS 1024u

struct file_queue {
	struct tm_file *files[FILE_QUEUE_MAX]; /* oldest first */
	uint32_t count;
	uint32_t turns; /* so far */
	uint32_t turn[FILE_QUEUE_OWNERS];
	uint16_t waiting[FILE_QUEUE_OWNERS];
};

/* Adds a copy. Return: whether there was space and memory for it. */
bool file_queue_add(struct file_queue *queue, const struct tm_file *file);
/* Return: the next file, the caller's to free; NULL: none waits. */
struct tm_file *file_queue_take(struct file_queue *queue);
