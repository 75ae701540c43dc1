/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top - the functions that most samples stopped in
 */

#include "symbolizer/output/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

struct function {
	uint32_t name;
	uint32_t file;
	uint64_t self;
	uint64_t total;
	uint32_t stamp; /* stack + 1 that counted it last */
};

struct functions {
	struct function *items;
	uint32_t *of_frame;
	uint32_t count;
};

static int by_function(const void *left, const void *right, void *report)
{
	const struct report_frame *frames = ((const struct report *)report)->frames;
	const struct report_frame *a = &frames[*(const uint32_t *)left];
	const struct report_frame *b = &frames[*(const uint32_t *)right];

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->file > b->file) - (a->file < b->file);
}

/* Frames of one name and file get one function. */
static int group(struct functions *functions, const struct report *report)
{
	uint32_t count = report->frame_count;
	_cleanup_(tm_freep) uint32_t *order = calloc(count + 1ull, sizeof(*order));
	struct report copy = *report;

	functions->items = calloc(count + 1ull, sizeof(*functions->items));
	functions->of_frame = calloc(count + 1ull, sizeof(*functions->of_frame));
	if (!order || !functions->items || !functions->of_frame)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_function, &copy);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || by_function(&order[i - 1], &order[i], &copy) != 0)
			functions->items[functions->count++] = (struct function){
				.name = report->frames[order[i]].name,
				.file = report->frames[order[i]].file,
			};
		functions->of_frame[order[i]] = functions->count - 1;
	}
	return 0;
}

static void count_sample(struct functions *functions, const struct report *report, uint32_t index)
{
	const struct report_sample *sample = &report->samples[index];
	const struct report_stack *stack = &report->stacks[sample->stack];

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t frame = report->stack_frames[stack->first + i];
		struct function *function = &functions->items[functions->of_frame[frame]];

		if (i == 0)
			function->self += sample->count;
		if (function->stamp == index + 1)
			continue;
		function->stamp = index + 1;
		function->total += sample->count;
	}
}

static int by_weight(const void *left, const void *right, void *report)
{
	const struct function *a = left, *b = right;
	const char *const *strings = ((const struct report *)report)->strings;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(strings[a->name], strings[b->name]);
}

/* Cuts at a character's start, so that what is left is still valid UTF-8. */
static void copy_cut(char *to, size_t bytes, const char *from)
{
	size_t length = strlen(from);

	if (length >= bytes) {
		length = bytes - 1;
		while (length > 0 && ((uint8_t)from[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(to, from, length);
	memset(to + length, 0, bytes - length);
}

static const char *file_name(const struct report *report, uint32_t file)
{
	return file == REPORT_NO_FILE ? "" : report->strings[report->files[file].base];
}

int top_rows(const struct report *report, struct tm_top rows[TM_TOP_ROWS])
{
	struct functions functions = {0};
	struct report copy = *report;
	int written = 0;
	int r;

	r = group(&functions, report);
	if (!r) {
		for (uint32_t i = 0; i < report->sample_count; i++)
			count_sample(&functions, report, i);
		qsort_r(functions.items, functions.count, sizeof(*functions.items), by_weight,
			&copy);
		for (; written < TM_TOP_ROWS && (uint32_t)written < functions.count; written++) {
			const struct function *function = &functions.items[written];

			rows[written] = (struct tm_top){function->self, function->total};
			copy_cut(rows[written].name, TM_TOP_NAME, report->strings[function->name]);
			copy_cut(rows[written].file, sizeof(rows[written].file),
				 file_name(report, function->file));
		}
	}
	free(functions.items);
	free(functions.of_frame);
	return r ? r : written;
}
