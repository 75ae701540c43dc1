/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cleanup - cleanup attributes: releases a descriptor or pointer when its scope ends
 *
 * Destructors accept the empty value (-1, NULL) and return it, so that `fd = tm_close(fd)` leaves
 * nothing that could be closed twice. Source: GCC manual, "Common Variable Attributes", cleanup.
 */

#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Moves ownership out of a variable, which is left empty. */
#define TM_TAKE(from, empty)                         \
	({                                           \
		__typeof__(from) tm_taken_ = (from); \
		(from) = (empty);                    \
		tm_taken_;                           \
	})
#define TM_TAKE_PTR(p) TM_TAKE(p, NULL)
#define TM_TAKE_FD(fd) TM_TAKE(fd, -1)

static inline int tm_close(int fd)
{
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

static inline void tm_closep(int *fd)
{
	*fd = tm_close(*fd);
}

static inline void tm_freep(void *p)
{
	void **pointer = p;

	free(*pointer);
	*pointer = NULL;
}
