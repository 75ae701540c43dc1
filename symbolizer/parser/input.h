/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * input - the bytes to parse: those of a received descriptor, or of our own vDSO
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "symbolizer/parser/elf/image.h"

struct input {
	int fd; /* borrowed; -1: the vDSO */
	const uint8_t *vdso;
	struct statx before;
	bool unreadable; /* a read failed */
};

/* Return: 0, or an enum parser_status. */
int input_open_file(struct input *input, int fd, struct image_source *source);
int input_open_vdso(struct input *input, struct image_source *source);
/* Whether the file has not changed since input_open_file(). */
bool input_is_unchanged(const struct input *input);
