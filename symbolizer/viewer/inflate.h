/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * inflate - the bytes of a gzip file of hostile origin, up to a limit
 */

#include <stdint.h>

#include "symbolizer/base/budget.h"

enum {
	INFLATE_E_INVALID = 1, /* not gzip, cut off, or damaged */
	INFLATE_E_TOO_LARGE = 2,
	INFLATE_E_MEMORY = 3,
};

struct bytes { /* charged to a budget */
	uint8_t *items;
	uint32_t count, capacity;
	struct budget *budget; /* borrowed */
};

/* Return: 0, INFLATE_E_MEMORY. Of the same length or longer; contents are kept. */
int bytes_reserve(struct bytes *bytes, uint64_t count);
void bytes_deinit(struct bytes *bytes);

/* One or several gzip members. Return: 0, INFLATE_E_*. */
int inflate_gzip(const uint8_t *from, size_t count, uint64_t most, struct bytes *to);
