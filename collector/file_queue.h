/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_queue - announced files that wait to be opened, their owners in turn
 *
 * Turn       next is the oldest file of the owner that had its last turn longest ago. So whoever
 *            brings many files waits for his own, not others for him.
 * Lanes      up to FILE_QUEUE_LANES files are taken at a time. Of one owner it is one while another
 *            one's may be taken, or as long as his last hang is remembered, and never all. Of all
 *            devices together on which one hung within FILE_QUEUE_CALM_MS, whoever's, it is one.
 * Hang       a file that could not be opened in time may lie on a file system whose server is gone,
 *            or whose server is the attacker. Its owner's files on that device, and if it happens
 *            again meanwhile all of his, are not to be asked for until a pause is over:
 *            FILE_QUEUE_HANG_MS at first, twice as long each time, until none has come for
 *            FILE_QUEUE_CALM_MS. The device alone would not do: others may reach good files of it
 *            by other paths.
 * Owner      the queue owns copies of records until they are taken. Whoever brings files is known
 *            by one of FILE_QUEUE_OWNERS values, from struct tm_file; who shares one shares its
 *            turn.
 * Limits     FILE_QUEUE_MAX files, FILE_QUEUE_SHARE of one owner; others are not added.
 *            Of hangs the last FILE_QUEUE_DEVICES say which devices are slow.
 * Threads    one.
 */

#include <stdbool.h>

#include "shared/event.h"

#define FILE_QUEUE_MAX       1024u
#define FILE_QUEUE_SHARE     256u
#define FILE_QUEUE_OWNERS    1024u
#define FILE_QUEUE_LANES     4
#define FILE_QUEUE_DEVICES   32

#define FILE_QUEUE_HANG_MS   4000u
#define FILE_QUEUE_HANGS_MAX 8 /* doublings: 17 minutes */
#define FILE_QUEUE_CALM_MS   (10u * 60 * 1000)

struct file_queue {
	struct tm_file *files[FILE_QUEUE_MAX]; /* oldest first */
	uint32_t count;
	uint32_t turns; /* so far */
	uint32_t turn[FILE_QUEUE_OWNERS];
	uint16_t waiting[FILE_QUEUE_OWNERS];
	struct file_queue_hang {
		uint64_t until_ms, device, times; /* device 0: all */
	} hangs[FILE_QUEUE_OWNERS];
	struct file_queue_device {
		uint64_t until_ms, device;
	} devices[FILE_QUEUE_DEVICES];                 /* the last that hung */
	uint32_t device_hangs;                         /* so far */
	const struct tm_file *taken[FILE_QUEUE_LANES]; /* and not yet done */
};

/* Adds a copy. Return: whether there was space and memory for it. */
bool file_queue_add(struct file_queue *queue, const struct tm_file *file);
/* The file of this record could not be opened in time. */
void file_queue_hung(struct file_queue *queue, const struct tm_file *file, uint64_t now_ms);
/* Whether the file of this record pauses at @now_ms. */
bool file_queue_pauses(const struct file_queue *queue, const struct tm_file *file, uint64_t now_ms);
/* Return: the next file, the caller's to free; NULL: none waits that may be taken beside those that
 * are taken. */
struct tm_file *file_queue_take(struct file_queue *queue, uint64_t now_ms);
/* A file that was taken is no longer under way. */
void file_queue_done(struct file_queue *queue, const struct tm_file *file);
