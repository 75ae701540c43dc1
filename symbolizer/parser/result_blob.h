/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * result_blob - the bytes of one answer, in memory, before the worker seals and sends them
 */

#include <stdint.h>
#include <stdlib.h>

struct result_blob {
	void *data; /* owned */
	uint64_t bytes;
};

static inline void result_blob_free(struct result_blob *result)
{
	free(result->data);
	*result = (struct result_blob){0};
}
