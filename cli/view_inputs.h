/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * view_inputs - opens what is viewed: the segments of a spool, or files that the user names
 *
 * Trust      the spool belongs to another account: its folder is opened once, its segments beneath
 *            it without following links, and only regular files are taken. Nothing is read here.
 * Owns       the descriptors and names.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cli/view_options.h"

struct view_input {
	int fd;
	char *name;
	unsigned side;
	bool is_segment;
};

struct view_inputs {
	struct view_input *items;
	size_t count, capacity;
};

/* Return: 0, or an exit code, after printing why. Call view_inputs_close either way. */
int view_inputs_open(struct view_inputs *inputs, const struct view_options *options);
void view_inputs_close(struct view_inputs *inputs);
