/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_rows - the seeds of the corpora cfi, pclntab and rows
 */

#include <stddef.h>

typedef void (*make_rows_put_fn)(const char *target, const char *name, const void *bytes,
				 size_t count, int append);

void make_rows(make_rows_put_fn put);
