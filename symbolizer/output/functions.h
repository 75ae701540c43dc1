/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * functions - the frames of a report with their addresses left out
 *
 * A report keeps one frame per sampled address. A picture shows functions: frames with the same
 * name, file and kind are one.
 */

#include <stdint.h>

#include "symbolizer/output/report.h"

struct functions {
	uint32_t *of_frame; /* function of each frame */
	uint32_t *example;  /* one frame of each function: its name, file and kind */
	uint32_t count;
};

/* Return: 0, -ENOMEM. */
int functions_init(struct functions *functions, const struct report *report);
void functions_deinit(struct functions *functions);
