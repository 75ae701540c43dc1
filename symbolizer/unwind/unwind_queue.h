/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_queue - the files whose rows are wanted, in the order in which their descriptors arrived
 *
 * Behind files.h: a list through the numbers, so that it needs no room of its own; a number stands in it
 * once, for the last FILE message that named it.
 */

#include "symbolizer/profile/files.h"

struct unwind_queue {
	uint64_t value; /* of the FILE message */
	const struct tm_identity
		*identity; /* NULL: not announced yet; good until the files change */
	uint32_t number;
	int fd; /* borrowed, as long; -1: none was kept */
};

enum {
	UNWIND_QUEUE_E_NONE = 1,
};

/* @number: one that has an entry. */
void unwind_queue_want(struct files *files, uint32_t number, uint64_t value);
/* Takes the first one out that still stands. Return: 0, UNWIND_QUEUE_E_NONE. */
int unwind_queue_next(struct files *files, struct unwind_queue *ret_wanted);
/* Whether one of them came before its announcement was read: then it is in the ring by now. */
int unwind_queue_are_early(const struct files *files);
/* Whether @number, once wanted, still means what it did in the FILE message of @value. */
int unwind_queue_stand(const struct files *files, uint32_t number, uint64_t value);
