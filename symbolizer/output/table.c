/* SPDX-License-Identifier: Apache-2.0 */
/* table - functions, processes and containers with their times, for `tidemark top` */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/view_table.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report.h"
#include "symbolizer/output/stack_order.h"

#define COLUMNS 4u /* self and total, of each kind */

struct row {
	uint64_t ns[COLUMNS];
	uint32_t last_sample; /* index + 1 of the last one counted in total */
	bool shown;
};

struct rows {
	struct row *items;
	uint32_t count;
};

struct order {
	const struct row *items;
	unsigned column;
};

static void rows_deinit(struct rows *rows)
{
	free(rows->items);
}

static int rows_init(struct rows *rows, uint32_t count)
{
	rows->items = calloc((size_t)count + 1, sizeof(*rows->items));
	rows->count = count;
	return rows->items ? 0 : -ENOMEM;
}

/* Of what has the same time, what comes first in the report stays first. */
static int compare(uint32_t a, uint32_t b, const void *context)
{
	const struct order *order = context;

	return sort_by_number(order->items[b].ns[order->column], order->items[a].ns[order->column]);
}

/* The rows with most time in each column. */
static int choose(struct rows *rows)
{
	for (unsigned column = 0; column < COLUMNS; column++) {
		const struct order by = {rows->items, column};
		_cleanup_(tm_freep) uint32_t *order = sort_new(rows->count, compare, &by);

		if (!order)
			return -ENOMEM;
		for (uint32_t i = 0; i < rows->count && i < TM_VIEW_TABLE_RANKED; i++)
			if (rows->items[order[i]].ns[column])
				rows->items[order[i]].shown = true;
	}
	return 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Cut between two characters; without bytes of the syntax. */
static void write_text(struct output_file *out, const char *text)
{
	size_t length = strlen(text);

	if (length >= TM_VIEW_TABLE_NAME_BYTES) {
		length = TM_VIEW_TABLE_NAME_BYTES - 1;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	for (size_t i = 0; i < length; i++)
		output_file_bytes(out, (unsigned char)text[i] < 0x20 ? "_" : &text[i], 1);
}

static void write_row(struct output_file *out, const char *by, const struct row *row,
		      const char *name, const char *detail)
{
	output_file_text(out, by);
	for (unsigned column = 0; column < COLUMNS; column++)
		output_file_format(out, "\t%" PRIu64, row->ns[column]);
	output_file_text(out, "\t");
	write_text(out, name);
	output_file_text(out, "\t");
	write_text(out, detail);
	output_file_text(out, "\n");
}

static void write_sums(struct output_file *out, const struct report *report)
{
	uint64_t dropped = 0, off_cpu_dropped = 0;

	for (unsigned i = 0; i < TM_DROP_N; i++) {
		dropped += report->drops[i];
		off_cpu_dropped += report->off_cpu.drops[i];
	}
	output_file_format(out,
			   "sum\ton-CPU\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
			   report_has(report, TM_SAMPLE_ON_CPU), report->taken, report->exported,
			   dropped, report->sums[TM_SAMPLE_ON_CPU].value);
	output_file_format(
		out, "sum\toff-CPU\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
		report_has(report, TM_SAMPLE_OFF_CPU), report->off_cpu.taken,
		report->off_cpu.exported, off_cpu_dropped, report->sums[TM_SAMPLE_OFF_CPU].value);
}

/* --- functions -------------------------------------------------------------------------------- */

static void add_functions(const struct report *report, const struct functions *functions,
			  struct rows *rows, uint32_t index)
{
	const struct report_sample *sample = &report->samples[index];
	const unsigned self = sample->kind == TM_SAMPLE_OFF_CPU ? 2 : 0;
	struct stack_walk walk = stack_walk_start(report, &report->stacks[sample->stack]);
	struct row *row = NULL;
	uint32_t call;

	while ((call = stack_walk_next(&walk)) != STACK_WALK_END) {
		row = &rows->items[functions->of_call[call]];
		if (row->last_sample == index + 1)
			continue;
		row->last_sample = index + 1;
		row->ns[self + 1] += sample->value;
	}
	if (row)
		row->ns[self] += sample->value;
}

static int write_functions(struct output_file *out, const struct report *report)
{
	_cleanup_(functions_deinit) struct functions functions = {0};
	_cleanup_(rows_deinit) struct rows rows = {0};
	int r = functions_init(&functions, report);

	if (r == 0)
		r = rows_init(&rows, functions.count);
	for (uint32_t i = 0; r == 0 && i < report->sample_count; i++)
		add_functions(report, &functions, &rows, i);
	if (r == 0)
		r = choose(&rows);
	for (uint32_t i = 0; r == 0 && i < rows.count; i++) {
		const struct function *function = &functions.items[i];

		if (rows.items[i].shown)
			write_row(out, "function", &rows.items[i], report->strings[function->name],
				  functions_file(report, function));
	}
	return r;
}

/* --- processes and containers ----------------------------------------------------------------- */

/* @of: the row of each process. */
static void add_processes(const struct report *report, const uint32_t *of, struct rows *rows)
{
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[i];
		const unsigned self = sample->kind == TM_SAMPLE_OFF_CPU ? 2 : 0;
		struct row *row = &rows->items[of[sample->process]];

		row->ns[self] += sample->value;
		row->ns[self + 1] += sample->value;
	}
}

static void write_process(struct output_file *out, const struct report *report,
			  const struct row *row, const struct report_process *process)
{
	char name[TM_VIEW_TABLE_NAME_BYTES];

	(void)snprintf(name, sizeof(name), "%" PRIu32 " %.64s", process->tgid,
		       report->strings[process->comm]);
	write_row(out, "process", row, name, report->strings[process->exe]);
}

static int compare_containers(uint32_t a, uint32_t b, const void *context)
{
	const struct report *report = context;

	return strcmp(report->strings[report->processes[a].container],
		      report->strings[report->processes[b].container]);
}

/* Numbers the containers in @of. Return: how many there are. */
static uint32_t number_containers(const struct report *report, const uint32_t *order, uint32_t *of)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < report->process_count; i++) {
		if (i == 0 || compare_containers(order[i - 1], order[i], report) != 0)
			count++;
		of[order[i]] = count - 1;
	}
	return count;
}

static int write_processes(struct output_file *out, const struct report *report)
{
	_cleanup_(rows_deinit) struct rows rows = {0};
	_cleanup_(tm_freep) uint32_t *of = calloc((size_t)report->process_count + 1, sizeof(*of));
	int r = rows_init(&rows, report->process_count);

	if (!of)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->process_count; i++)
		of[i] = i;
	if (r == 0) {
		add_processes(report, of, &rows);
		r = choose(&rows);
	}
	for (uint32_t i = 0; r == 0 && i < rows.count; i++)
		if (rows.items[i].shown)
			write_process(out, report, &rows.items[i], &report->processes[i]);
	return r;
}

static int write_containers(struct output_file *out, const struct report *report)
{
	_cleanup_(rows_deinit) struct rows rows = {0};
	_cleanup_(tm_freep) uint32_t *of = calloc((size_t)report->process_count + 1, sizeof(*of));
	_cleanup_(tm_freep) uint32_t *order =
		sort_new(report->process_count, compare_containers, report);
	int r = of && order ? 0 : -ENOMEM;

	if (r == 0)
		r = rows_init(&rows, number_containers(report, order, of));
	if (r == 0) {
		add_processes(report, of, &rows);
		r = choose(&rows);
	}
	for (uint32_t i = 0; r == 0 && i < report->process_count; i++) {
		struct row *row = &rows.items[of[order[i]]];

		if (row->shown)
			write_row(out, "container", row,
				  report->strings[report->processes[order[i]].container], "");
		row->shown = false; /* once */
	}
	return r;
}

int table_write(struct output_file *out, const struct report *report)
{
	int r;

	output_file_text(out, TM_VIEW_TABLE_FIRST "\n");
	write_sums(out, report);
	r = write_functions(out, report);
	if (r == 0)
		r = write_processes(out, report);
	if (r == 0)
		r = write_containers(out, report);
	if (r < 0)
		return r;
	output_file_text(out, "end\n");
	return output_file_finish(out);
}
