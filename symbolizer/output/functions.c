/* SPDX-License-Identifier: Apache-2.0 */
/* functions - groups the calls of a report by function; finds those with the most time */

#include "symbolizer/output/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/base/path.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/stack_order.h"

struct time_of { /* one function: ns of the kind that is shown */
	uint64_t self;
	uint64_t total;
	uint32_t last_sample; /* index + 1 of the last one counted in total */
};

struct ranking {
	const struct report *report;
	const struct functions *functions;
	struct time_of *times; /* by function */
};

struct grouping {
	const struct report *report;
	const uint32_t *frames; /* of each call */
};

static int compare_names(uint32_t a, uint32_t b, const struct grouping *grouping)
{
	const struct report *report = grouping->report;
	const struct report_frame *left = &report->frames[grouping->frames[a]];
	const struct report_frame *right = &report->frames[grouping->frames[b]];
	int order = sort_by_number(report->calls[a].name, report->calls[b].name);

	if (order == 0)
		order = sort_by_number(left->file, right->file);
	return order != 0 ? order : sort_by_number(left->kind, right->kind);
}

/* Among those of one name, calls without a source file come first: theirs is string 0. */
static int compare_calls(uint32_t a, uint32_t b, const void *context)
{
	const struct grouping *grouping = context;
	const struct report_call *calls = grouping->report->calls;
	int order = compare_names(a, b, grouping);

	return order != 0 ? order : sort_by_number(calls[a].path, calls[b].path);
}

static struct function function_of(const struct grouping *grouping, uint32_t call)
{
	const struct report_frame *frame = &grouping->report->frames[grouping->frames[call]];

	return (struct function){
		.name = grouping->report->calls[call].name,
		.file = frame->file,
		.kind = frame->kind,
		.unnamed = frame->unnamed && call == frame->first_call + frame->call_count - 1,
	};
}

static void add_call(struct functions *functions, const struct report *report, uint32_t call)
{
	const struct report_call *of = &report->calls[call];
	struct function *function = &functions->items[functions->count - 1];
	uint32_t line = of->start_line ? of->start_line : of->line;

	functions->of_call[call] = functions->count - 1;
	if (of->path != 0)
		function->path = of->path;
	if (line != 0 && (function->line == 0 || line < function->line))
		function->line = line;
}

/* @order: calls of one name, sorted. */
static void add_functions(struct functions *functions, const struct grouping *grouping,
			  const uint32_t *order, uint32_t count)
{
	const struct report_call *calls = grouping->report->calls;
	uint32_t paths = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t path = calls[order[i]].path;

		paths += path != 0 && (i == 0 || path != calls[order[i - 1]].path);
	}
	for (uint32_t i = 0; i < count; i++) {
		bool other = i > 0 && calls[order[i]].path != calls[order[i - 1]].path;

		if (i == 0 || (other && paths > 1))
			functions->items[functions->count++] = function_of(grouping, order[i]);
		add_call(functions, grouping->report, order[i]);
	}
}

/* Return: the frame of each call (free it), or NULL without memory. */
static uint32_t *frames_of_calls(const struct report *report)
{
	uint32_t *frames = calloc((size_t)report->call_count + 1, sizeof(*frames));

	for (uint32_t i = 0; frames && i < report->frame_count; i++)
		for (uint32_t j = 0; j < report->frames[i].call_count; j++)
			frames[report->frames[i].first_call + j] = i;
	return frames;
}

int functions_init(struct functions *functions, const struct report *report)
{
	size_t capacity = (size_t)report->call_count + 1;
	_cleanup_(tm_freep) uint32_t *frames = frames_of_calls(report);
	_cleanup_(tm_freep) uint32_t *order = NULL;
	const struct grouping grouping = {report, frames};

	*functions = (struct functions){0};
	if (frames)
		order = sort_new(report->call_count, compare_calls, &grouping);
	functions->of_call = malloc(sizeof(*functions->of_call) * capacity);
	functions->items = malloc(sizeof(*functions->items) * capacity);
	if (!order || !functions->of_call || !functions->items) {
		functions_deinit(functions);
		return -ENOMEM;
	}
	for (uint32_t i = 0, next; i < report->call_count; i = next) {
		for (next = i + 1; next < report->call_count; next++)
			if (compare_names(order[i], order[next], &grouping) != 0)
				break;
		add_functions(functions, &grouping, order + i, next - i);
	}
	return 0;
}

void functions_deinit(struct functions *functions)
{
	free(functions->of_call);
	free(functions->items);
	*functions = (struct functions){0};
}

/* --- the functions with the most time --- */

static void add_time(const struct ranking *ranking, uint32_t index)
{
	const struct report *report = ranking->report;
	const struct report_sample *sample = &report->samples[index];
	struct stack_walk walk = stack_walk_start(report, &report->stacks[sample->stack]);
	struct time_of *of = NULL;
	uint32_t call;

	while ((call = stack_walk_next(&walk)) != STACK_WALK_END) {
		of = &ranking->times[ranking->functions->of_call[call]];
		if (of->last_sample == index + 1)
			continue;
		of->last_sample = index + 1;
		of->total += sample->value;
	}
	if (of)
		of->self += sample->value;
}

static int compare_times(uint32_t a, uint32_t b, const void *context)
{
	const struct ranking *ranking = context;
	const struct function *functions = ranking->functions->items;
	const char *const *strings = ranking->report->strings;
	const struct time_of *left = &ranking->times[a], *right = &ranking->times[b];
	int order = sort_by_number(right->self, left->self);

	if (order == 0)
		order = sort_by_number(right->total, left->total);
	return order != 0 ? order : strcmp(strings[functions[a].name], strings[functions[b].name]);
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
	const struct time_of *time = &ranking->times[function];
	const struct function *of = &ranking->functions->items[function];
	const char *const *strings = ranking->report->strings;

	*ret_row = (struct tm_top){
		.self = report_number(ranking->report, time->self),
		.total = report_number(ranking->report, time->total),
	};
	copy_cut(ret_row->name, sizeof(ret_row->name), strings[of->name]);
	copy_cut(ret_row->file, sizeof(ret_row->file), functions_file(ranking->report, of));
}

const char *functions_file(const struct report *report, const struct function *function)
{
	return function->file != REPORT_NO_FILE
		       ? report->strings[report->files[function->file].base]
		       : path_base(report->strings[function->path]);
}

int functions_top(const struct report *report, struct tm_top rows[TM_TOP_ROWS])
{
	_cleanup_(functions_deinit) struct functions functions = {0};
	_cleanup_(tm_freep) struct time_of *times = NULL;
	_cleanup_(tm_freep) uint32_t *order = NULL;
	struct ranking ranking = {report, &functions};
	int written = 0, r = functions_init(&functions, report);

	if (r < 0)
		return r;
	ranking.times = times = calloc((size_t)functions.count + 1, sizeof(*times));
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->sample_count; i++)
		if (report->samples[i].kind == report->shown)
			add_time(&ranking, i);
	order = sort_new(functions.count, compare_times, &ranking);
	if (!order)
		return -ENOMEM;
	for (; written < TM_TOP_ROWS && (uint32_t)written < functions.count; written++)
		write_row(&ranking, order[written], &rows[written]);
	return written;
}
