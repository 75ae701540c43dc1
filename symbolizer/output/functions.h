/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * functions - groups the calls of a report by function; finds those with the most time
 *
 * A report keeps one frame per sampled address. Calls with the same name, in frames of the same
 * file and kind, are one function, inlined or not. Where they are from several source files they
 * are as many functions; a call whose source is not known joins them where there is only one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/result.h"
#include "symbolizer/output/report.h"

struct function {
	uint32_t name; /* string */
	uint32_t file; /* index, or REPORT_NO_FILE */
	uint32_t path; /* string: source file, or "" */
	uint32_t line; /* in it: where it begins, else the first that was sampled; 0: not known */
	uint8_t kind;  /* enum report_kind */
	bool unnamed;  /* as in report_frame */
};

struct functions {
	uint32_t *of_call; /* function of each call */
	struct function *items;
	uint32_t count;
};

/* Return: 0, -ENOMEM. */
int functions_init(struct functions *functions, const struct report *report);
void functions_deinit(struct functions *functions);
/* The file that is shown beside its name: that of its code, or of its source where it has none. */
const char *functions_file(const struct report *report, const struct function *function);
/*
 * The functions in which most time was spent, of the kind that is shown, then those with most time
 * in their stacks, then by name. A function counts once in a stack however often it recurs; a
 * sample's own time is that of its innermost call. Return: rows written (<= TM_TOP_ROWS), -ENOMEM.
 */
int functions_top(const struct report *report, struct tm_top rows[TM_TOP_ROWS]);
