/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_read - reads a whole part of a file, however many calls that takes
 */

#include <stddef.h>
#include <stdint.h>

/* Return: 0, -errno (-EIO: the file ends before). */
int tm_file_read(int fd, void *ret_bytes, size_t bytes, uint64_t at);
