/* SPDX-License-Identifier: Apache-2.0 */
/* functions - groups the frames of a report by function; finds those with the most time */

#include "symbolizer/output/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"

struct samples_of { /* one function */
	uint64_t self;
	uint64_t total;
	uint32_t last_sample; /* index + 1 of the last one counted in total */
};

struct ranking {
	const struct report *report;
	const struct functions *functions;
	struct samples_of *samples; /* by function */
};

static int compare_frames(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;
	const struct report_frame *left = &report->frames[a];
	const struct report_frame *right = &report->frames[b];
	int order = sort_by_number(report_outermost(report, left)->name,
				   report_outermost(report, right)->name);

	if (order == 0)
		order = sort_by_number(left->file, right->file);
	return order != 0 ? order : sort_by_number(left->kind, right->kind);
}

int functions_init(struct functions *functions, const struct report *report)
{
	size_t bytes = sizeof(uint32_t) * ((size_t)report->frame_count + 1);
	_cleanup_(tm_freep) uint32_t *order = sort_new(report->frame_count, compare_frames, report);

	*functions = (struct functions){.of_frame = malloc(bytes), .example = malloc(bytes)};
	if (!order || !functions->of_frame || !functions->example) {
		functions_deinit(functions);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < report->frame_count; i++) {
		if (i == 0 || compare_frames(order[i - 1], order[i], report) != 0)
			functions->example[functions->count++] = order[i];
		functions->of_frame[order[i]] = functions->count - 1;
	}
	return 0;
}

void functions_deinit(struct functions *functions)
{
	free(functions->of_frame);
	free(functions->example);
	*functions = (struct functions){0};
}

/* --- the functions with the most time --- */

static void count_sample(const struct ranking *ranking, uint32_t index)
{
	const struct report *report = ranking->report;
	const struct report_sample *sample = &report->samples[index];
	const struct report_stack *stack = &report->stacks[sample->stack];

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t frame = report->stack_frames[stack->first + i];
		struct samples_of *of = &ranking->samples[ranking->functions->of_frame[frame]];

		if (i == 0)
			of->self += sample->count;
		if (of->last_sample == index + 1)
			continue;
		of->last_sample = index + 1;
		of->total += sample->count;
	}
}

static const struct report_frame *example_of(const struct ranking *ranking, uint32_t function)
{
	return &ranking->report->frames[ranking->functions->example[function]];
}

static uint32_t name_of(const struct ranking *ranking, uint32_t function)
{
	return report_outermost(ranking->report, example_of(ranking, function))->name;
}

static int compare_samples(uint32_t a, uint32_t b, const void *context)
{
	const struct ranking *ranking = context;
	const char *const *strings = ranking->report->strings;
	const struct samples_of *left = &ranking->samples[a], *right = &ranking->samples[b];
	int order = sort_by_number(right->self, left->self);

	if (order == 0)
		order = sort_by_number(right->total, left->total);
	return order != 0 ? order
			  : strcmp(strings[name_of(ranking, a)], strings[name_of(ranking, b)]);
}

/* Cuts between two characters, so that the rest is still valid UTF-8. */
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

static void write_row(const struct ranking *ranking, uint32_t function, struct tm_top *ret_row)
{
	const struct samples_of *samples = &ranking->samples[function];
	const struct report_frame *frame = example_of(ranking, function);
	const char *const *strings = ranking->report->strings;
	const char *file = "";

	if (frame->file != REPORT_NO_FILE)
		file = strings[ranking->report->files[frame->file].base];
	*ret_row = (struct tm_top){samples->self, samples->total};
	copy_cut(ret_row->name, sizeof(ret_row->name), strings[name_of(ranking, function)]);
	copy_cut(ret_row->file, sizeof(ret_row->file), file);
}

int functions_top(const struct report *report, struct tm_top rows[TM_TOP_ROWS])
{
	_cleanup_(functions_deinit) struct functions functions = {0};
	_cleanup_(tm_freep) struct samples_of *samples = NULL;
	_cleanup_(tm_freep) uint32_t *order = NULL;
	struct ranking ranking = {report, &functions};
	int written = 0, r = functions_init(&functions, report);

	if (r < 0)
		return r;
	ranking.samples = samples = calloc((size_t)functions.count + 1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->sample_count; i++)
		count_sample(&ranking, i);
	order = sort_new(functions.count, compare_samples, &ranking);
	if (!order)
		return -ENOMEM;
	for (; written < TM_TOP_ROWS && (uint32_t)written < functions.count; written++)
		write_row(&ranking, order[written], &rows[written]);
	return written;
}
