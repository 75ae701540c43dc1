/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * folder - the segments in the folder of the spool: finds, makes, opens and removes them
 *
 * Order      by their first sequence, which their names say. The list is made once, by
 *            folder_list; afterwards nobody else writes to the folder (folder_lock).
 * Trust      the folder is nobody's else, but whoever had it before may have left anything in it:
 *            no symbolic link is followed, and only regular files of this account with one name
 *            are opened.
 * Age        since the last report of a segment. From the list on it is measured by
 *            CLOCK_BOOTTIME, so that a corrected clock does not shorten the history; before, the
 *            file's time says it, as far as it is in the past.
 * Limits     FOLDER_SEGMENTS_MAX segments; the oldest beyond are removed.
 */

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#define FOLDER_SEGMENTS_MAX 4096u
/* The number that the folder's descriptor has in the process: the filter names it. */
#define FOLDER_FD 9

enum {
	FOLDER_E_HELD = 1, /* another process has the folder */
};

struct folder_segment {
	uint64_t first_sequence;
	uint64_t bytes;
	unsigned share;   /* shared/segment.h; 0 until its records have been read */
	int64_t begun_ns; /* CLOCK_BOOTTIME at the begin of its first report, */
	int64_t ended_ns; /* and when its last one was stored; negative: before the boot */
};

struct folder {
	int fd;                                              /* borrowed */
	struct folder_segment segments[FOLDER_SEGMENTS_MAX]; /* the oldest first */
	unsigned count;
	uint64_t bytes; /* of all */
};

/* ns of CLOCK_BOOTTIME. */
int64_t folder_now_ns(void);
/* Return: 0, FOLDER_E_HELD, -errno. */
int folder_lock(int fd);
/* @entries: of the same folder. Return: 0, -errno. */
int folder_list(struct folder *folder, int fd, DIR *entries);
/* For reading, or, with @write, to shorten it. Return: descriptor, -errno (-EPERM: it is none of
 * ours). */
int folder_open(const struct folder *folder, uint64_t first_sequence, bool write);
/* A new, empty segment behind all others, in the list, too. There must be room in the list.
 * Return: descriptor, -errno. */
int folder_make(struct folder *folder, uint64_t first_sequence, unsigned share);
/* Return: the segment, NULL. */
struct folder_segment *folder_find(struct folder *folder, uint64_t first_sequence);
/* A segment of the list has become longer. */
void folder_grow(struct folder *folder, struct folder_segment *segment, uint64_t bytes);
/* The oldest segment of the share that has most bytes. The list is not empty. */
struct folder_segment *folder_first_to_go(struct folder *folder);
/* It is no more in the list, whatever happens to the file. */
void folder_remove(struct folder *folder, struct folder_segment *segment);
