/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sparse_copy - a copy of part of a file, of which only what is filled counts as memory
 *
 * Shape      a private mapping as large as the file or section. It can be read everywhere, as zeros
 *            where nothing was filled; pages can be written from sparse_copy_open on, in units of
 *            SPARSE_COPY_UNIT.
 * Limits     the kernel counts writable pages alone as data (RLIMIT_DATA). So a file of gigabytes
 *            counts as what is read of it.
 */

#include <stdbool.h>
#include <stdint.h>

#define SPARSE_COPY_UNIT  (256u << 10)
#define SPARSE_COPY_WHOLE (1u << 20) /* bytes: up to there, all of it can be written */

struct sparse_copy {
	uint8_t *bytes; /* owned mapping; NULL: none */
	uint64_t size;
	uint8_t *is_open; /* owned; of each unit; NULL: all are */
};

/* @size: not 0. @whole: all of it will be filled. Return: 0, PARSER_FAILED. */
int sparse_copy_map(struct sparse_copy *copy, uint64_t size, bool whole);
/* Before @count bytes at @offset, which lie in the copy, are filled. Return: 0, PARSER_FAILED. */
int sparse_copy_open(struct sparse_copy *copy, uint64_t offset, uint64_t count);
void sparse_copy_close(struct sparse_copy *copy);
