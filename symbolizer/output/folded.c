/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded - one line per stack, root first, as flame-graph tools read it
 *
 * Functions of CPython have file and line behind their names, as py-spy writes them; methods of
 * Java are java/lang/String.charAt, as async-profiler writes them, unless report.folded_lines says
 * otherwise.
 *
 * A line has one number: samples where on-CPU alone was recorded, else ns. The stack of an off-CPU
 * sample ends in the state of its thread, `[interruptible]`, or goes on with who woke it. Of a
 * comparison there are two numbers: of what is compared with, then of what is shown.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/reasons.h"
#include "shared/runtime.h"
#include "symbolizer/base/path.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report.h"
#include "symbolizer/output/stack_order.h"

#define FOLDED_SIDES 2

enum {                           /* the lowest bits of a call's class */
	ENDS_IN_KERNEL = 1 << 0, /* _[k] */
	ENDS_IN_PLACE = 1 << 1,  /* (file:line), as others show functions of language runtimes */
	HAS_SLASHES = 1 << 2,    /* between package and class, as others show methods of Java */
	CLASS_BITS = 3,
};

struct folded {
	const struct report *report;
	uint32_t *texts; /* class of each string: equal where the written text is equal */
	uint32_t *calls; /* class of each call: equal where the written text is equal; and how */
	uint32_t *ranks; /* of each stack */
};

static void folded_deinit(struct folded *folded)
{
	free(folded->texts);
	free(folded->calls);
	free(folded->ranks);
}

/* Replaces a byte of the format's own syntax in a name: the format has no escape. */
static unsigned char shown(char byte)
{
	unsigned char value = (unsigned char)byte;

	return value < 0x20 || value == 0x7f || value == ';' ? '_' : value;
}

static int compare_shown(const char *left, const char *right)
{
	for (; *left && *right; left++, right++) {
		if (shown(*left) != shown(*right))
			return shown(*left) < shown(*right) ? -1 : 1;
	}
	return sort_by_number((unsigned char)*left, (unsigned char)*right);
}

static int compare_texts(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;

	return compare_shown(report->strings[a], report->strings[b]);
}

static const char *base_of(const struct report *report, const struct report_call *call)
{
	return path_base(report->strings[call->path]);
}

/* Whose classes are their lowest bits alone yet. */
static int compare_calls(uint32_t a, uint32_t b, const void *context)
{
	const struct folded *folded = context;
	const struct report *report = folded->report;
	const struct report_call *left = &report->calls[a];
	const struct report_call *right = &report->calls[b];
	int order = sort_by_number(folded->texts[left->name], folded->texts[right->name]);

	if (order == 0)
		order = sort_by_number(folded->calls[a], folded->calls[b]);
	if (order != 0 || !(folded->calls[a] & ENDS_IN_PLACE))
		return order;
	order = compare_shown(base_of(report, left), base_of(report, right));
	return order != 0 ? order : sort_by_number(left->line, right->line);
}

static int compare_rows(uint32_t a, uint32_t b, const void *context)
{
	const struct folded *folded = context;
	const struct report_sample *left = &folded->report->samples[a];
	const struct report_sample *right = &folded->report->samples[b];
	int order = sort_by_number(folded->texts[left->comm], folded->texts[right->comm]);

	if (order == 0)
		order = sort_by_number(left->stop, right->stop);
	if (order == 0)
		order = sort_by_number(folded->ranks[left->stack], folded->ranks[right->stack]);
	return order != 0 ? order : sort_by_number(left->state, right->state);
}

static bool is_kernel(const struct report *report, const struct report_frame *frame)
{
	return frame->kind == REPORT_KERNEL ||
	       (frame->file != REPORT_NO_FILE && report->files[frame->file].is_kernel);
}

static uint32_t form_of(const struct report *report, const struct report_frame *frame,
			const struct report_call *call)
{
	const bool java = frame->runtime == TM_RUNTIME_JAVA;
	const bool lines = report->folded_lines == REPORT_LINES_ALL ||
			   (report->folded_lines == REPORT_LINES_PYTHON && !java);

	if (is_kernel(report, frame))
		return ENDS_IN_KERNEL;
	if (frame->kind != REPORT_RUNTIME)
		return 0;
	return (java ? HAS_SLASHES : 0) | (lines && call->path != 0 ? ENDS_IN_PLACE : 0);
}

static void note_forms(const struct folded *folded, const struct report_frame *frame)
{
	const struct report *report = folded->report;

	for (uint32_t j = 0; j < frame->call_count; j++) {
		uint32_t call = frame->first_call + j;

		folded->calls[call] = form_of(report, frame, &report->calls[call]);
	}
}

/* Return: 0, -ENOMEM. */
static int classify_calls(struct folded *folded)
{
	const struct report *report = folded->report;
	_cleanup_(tm_freep) uint32_t *order = NULL;
	_cleanup_(tm_freep) uint32_t *classes = calloc(report->call_count + 1u, sizeof(*classes));
	uint32_t class = 0;

	for (uint32_t i = 0; i < report->frame_count; i++)
		note_forms(folded, &report->frames[i]);
	order = sort_new(report->call_count, compare_calls, folded);
	if (!order || !classes)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->call_count; i++) {
		if (i > 0 && compare_calls(order[i - 1], order[i], folded) != 0)
			class ++;
		classes[order[i]] = class << CLASS_BITS | folded->calls[order[i]];
	}
	memcpy(folded->calls, classes, report->call_count * sizeof(*classes));
	return 0;
}

static int folded_init(struct folded *folded, const struct report *report)
{
	_cleanup_(tm_freep) uint32_t *order = sort_new(report->string_count, compare_texts, report);
	uint32_t class = 0;

	folded->report = report;
	folded->texts = malloc(sizeof(uint32_t) * ((size_t)report->string_count + 1));
	folded->calls = calloc((size_t)report->call_count + 1, sizeof(uint32_t));
	if (!order || !folded->texts || !folded->calls)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->string_count; i++) {
		if (i > 0 && compare_texts(order[i - 1], order[i], report) != 0)
			class ++;
		folded->texts[order[i]] = class;
	}
	if (classify_calls(folded) < 0)
		return -ENOMEM;
	folded->ranks = stack_order_new(report, folded->calls);
	return folded->ranks ? 0 : -ENOMEM;
}

static void write_byte(struct output_file *out, char byte)
{
	const unsigned char value = shown(byte);

	output_file_bytes(out, &value, 1);
}

static void write_name(struct output_file *out, const char *name)
{
	if (*name == '\0') /* readers that split lines would drop an empty element */
		output_file_text(out, "_");
	for (; *name; name++)
		write_byte(out, *name);
}

/* The last dot is the one before the method. */
static void write_java(struct output_file *out, const char *name)
{
	const char *last = strrchr(name, '.');

	for (; last && name < last; name++)
		write_byte(out, *name == '.' ? '/' : *name);
	write_name(out, name);
}

static void write_call(struct output_file *out, const struct folded *folded, uint32_t index)
{
	const struct report *report = folded->report;
	const struct report_call *call = &report->calls[index];

	if (folded->calls[index] & HAS_SLASHES)
		write_java(out, report->strings[call->name]);
	else
		write_name(out, report->strings[call->name]);
	if (folded->calls[index] & ENDS_IN_KERNEL)
		output_file_text(out, "_[k]");
	if (!(folded->calls[index] & ENDS_IN_PLACE))
		return;
	output_file_text(out, " (");
	write_name(out, base_of(report, call));
	if (call->line != 0)
		output_file_format(out, ":%u", call->line);
	output_file_text(out, ")");
}

/* @numbers: of what the samples are compared with, if they are, and of theirs. */
static void write_row(struct output_file *out, const struct folded *folded,
		      const struct report_sample *sample, const uint64_t numbers[FOLDED_SIDES])
{
	const struct report *report = folded->report;
	struct stack_walk walk = stack_walk_start(report, &report->stacks[sample->stack]);
	uint32_t call;

	write_name(out, report->strings[sample->comm]);
	if (sample->stop != TM_STOP_NONE)
		output_file_format(out, ";[truncated: %s]", tm_reasons_stop(sample->stop));
	while ((call = stack_walk_next(&walk)) != STACK_WALK_END) {
		output_file_text(out, ";");
		write_call(out, folded, call);
	}
	if (report_sample_ends_in_state(sample))
		output_file_format(out, ";[%s]", tm_reasons_thread(sample->state));
	for (unsigned side = report->base ? 0 : 1; side < FOLDED_SIDES; side++) {
		output_file_text(out, " ");
		output_file_number(out, numbers[side]);
	}
	output_file_text(out, "\n");
}

int folded_write(struct output_file *out, const struct report *report)
{
	_cleanup_(folded_deinit) struct folded folded = {0};
	_cleanup_(tm_freep) uint32_t *rows = NULL;
	bool off_cpu = report_has(report, TM_SAMPLE_OFF_CPU);
	int r = folded_init(&folded, report);

	if (r < 0)
		return r;
	rows = sort_new(report->sample_count, compare_rows, &folded);
	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->sample_count;) {
		const struct report_sample *sample = &report->samples[rows[i]];
		uint64_t values[FOLDED_SIDES] = {0};
		uint32_t next = i;

		for (; next < report->sample_count; next++) {
			const struct report_sample *other = &report->samples[rows[next]];

			if (compare_rows(rows[i], rows[next], &folded) != 0)
				break;
			values[other->flags & REPORT_SAMPLE_BASE ? 0 : 1] += other->value;
		}
		i = next;
		for (unsigned side = 0; side < FOLDED_SIDES && !off_cpu; side++)
			values[side] = report_number(report, values[side]);
		if (values[0] > 0 || values[1] > 0)
			write_row(out, &folded, sample, values);
	}
	return output_file_finish(out);
}
