/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_seeds - builds the seeds of the corpora cfi, disassembly, pclntab and unwind_table
 */

#include <stddef.h>

typedef void (*unwind_seeds_put_fn)(const char *target, const char *name, const void *bytes,
				    size_t count, int append);

void unwind_seeds_put(unwind_seeds_put_fn put);
