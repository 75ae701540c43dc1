/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_seeds - builds the seeds of the corpora cfi, disassembly, java_runtime, pclntab,
 * python_runtime and unwind_table
 */

#include <stdbool.h>
#include <stddef.h>

/* Writes (or appends to) seed @name of the corpus of @target. */
typedef void (*unwind_seeds_put_fn)(const char *target, const char *name, const void *bytes,
				    size_t count, bool append);

void unwind_seeds_put(unwind_seeds_put_fn put);
