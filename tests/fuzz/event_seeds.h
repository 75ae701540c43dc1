/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_seeds - builds the seeds of the corpus event
 */

#include <stdbool.h>
#include <stddef.h>

/* Writes (or appends to) seed @name of the corpus of @target. */
typedef void (*event_seeds_put_fn)(const char *target, const char *name, const void *bytes,
				   size_t count, bool append);

void event_seeds_put(event_seeds_put_fn put);
