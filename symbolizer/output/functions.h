/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * functions - groups the frames of a report by function; finds those with the most time
 *
 * A report keeps one frame per sampled address. Frames with the same name, file and kind are one
 * function.
 */

#include <stdint.h>

#include "shared/control.h"
#include "symbolizer/output/report.h"

struct functions {
	uint32_t *of_frame; /* function of each frame */
	uint32_t *example;  /* one frame of each function: its name, file and kind */
	uint32_t count;
};

/* Return: 0, -ENOMEM. */
int functions_init(struct functions *functions, const struct report *report);
void functions_deinit(struct functions *functions);
/*
 * The functions that most samples stopped in, then those in most stacks, then by name. A function
 * counts once in a stack however often it recurs. Return: rows written (<= TM_TOP_ROWS), -ENOMEM.
 */
int functions_top(const struct report *report, struct tm_top rows[TM_TOP_ROWS]);
