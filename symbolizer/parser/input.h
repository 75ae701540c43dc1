/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * input - the bytes to be parsed: a handed-over file, or our own vDSO
 */

#include <sys/stat.h>

#include "symbolizer/parser/elf/image.h"

struct input {
	int fd; /* borrowed; -1: the vDSO */
	const uint8_t *vdso;
	struct statx before;
};

/* Return: 0, or an enum parser_status. */
int input_open_file(struct input *target, int fd, struct image_source *source);
int input_open_vdso(struct input *target, struct image_source *source);
/* Whether the file is what it was when it was opened. */
int input_is_unchanged(const struct input *target);
