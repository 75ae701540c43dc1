/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_queue - the files whose unwind table is wanted, in the order in which descriptors arrived
 *
 * A list through the entries of files.h, so that it allocates nothing. A number is in it once, for
 * the last FILE message that named it.
 */

#include "symbolizer/profile/file_table.h"

struct file_queue_item {
	uint64_t value; /* of the FILE message */
	/* Borrowed until the files change, as the descriptor is. NULL: not announced yet. */
	const struct tm_identity *identity;
	uint32_t number;
	int fd; /* -1: none was kept */
};

enum {
	FILE_QUEUE_E_NONE = 1,
};

/* @number: one that has an entry. */
void file_queue_add(struct files *files, uint32_t number, uint64_t value);
/* Takes out the first one that is current. Return: 0, FILE_QUEUE_E_NONE. */
int file_queue_next(struct files *files, struct file_queue_item *ret_wanted);
/* Whether one of them came before its announcement was read, which is in the ring by now. */
bool file_queue_has_early(const struct files *files);
/* Whether @number still stands for the file that the FILE message of @value was about. */
bool file_queue_is_current(const struct files *files, uint32_t number, uint64_t value);
