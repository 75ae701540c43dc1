/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_locations - functions, and locations with their lines, of a pprof message */

#include <errno.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"
#include "symbolizer/output/pprof_message.h"

struct calls {
	const struct report *report;
	const uint32_t *files; /* of each call: index, or REPORT_NO_FILE */
};

/* Calls that are equal have one function: one name in two binaries is two functions. */
static int compare_calls(uint32_t a, uint32_t b, const void *context)
{
	const struct calls *calls = context;
	const struct report_call *left = &calls->report->calls[a];
	const struct report_call *right = &calls->report->calls[b];
	int order = sort_by_number(left->name, right->name);

	if (order == 0)
		order = sort_by_number(left->system_name, right->system_name);
	if (order == 0)
		order = sort_by_number(calls->files[a], calls->files[b]);
	if (order == 0)
		order = sort_by_number(left->path, right->path);
	return order != 0 ? order : sort_by_number(left->start_line, right->start_line);
}

/* Ids have no gaps: readers that name further frames continue the numbering. */
static Pprof__Function *add_function(struct pprof_message *message, int64_t name)
{
	Pprof__Function *function = message->profile.function[message->profile.n_function++];

	pprof__function__init(function);
	function->id = message->profile.n_function;
	function->name = name;
	function->system_name = name;
	return function;
}

static void add_functions_of_calls(struct pprof_message *message, const struct calls *calls,
				   const uint32_t *order)
{
	const struct report *report = message->report;
	Pprof__Function *function = NULL;

	for (uint32_t i = 0; i < report->call_count; i++) {
		const struct report_call *call = &report->calls[order[i]];

		if (!function || compare_calls(order[i - 1], order[i], calls) != 0) {
			function = add_function(message, call->name);
			function->system_name = call->system_name;
			function->filename = call->path;
			function->start_line = call->start_line;
		}
		message->function_ids[order[i]] = function->id;
	}
}

static uint32_t *files_of_calls(struct pprof_message *message)
{
	const struct report *report = message->report;
	uint32_t *files = pprof_take(message, report->call_count, sizeof(*files));

	for (uint32_t i = 0; files && i < report->frame_count; i++)
		for (uint32_t j = 0; j < report->frames[i].call_count; j++)
			files[report->frames[i].first_call + j] = report->frames[i].file;
	return files;
}

void pprof_fill_functions(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t count = (size_t)report->call_count + TM_STOP_N;
	Pprof__Function *functions = pprof_take(message, count, sizeof(*functions));
	Pprof__Function **list = pprof_take(message, count, sizeof(Pprof__Function *));
	const struct calls calls = {report, files_of_calls(message)};
	_cleanup_(tm_freep) uint32_t *order = NULL;

	message->function_ids = pprof_take(message, report->call_count, sizeof(uint64_t));
	message->stop_function_ids = pprof_take(message, TM_STOP_N, sizeof(uint64_t));
	if (message->error != 0)
		return;
	order = sort_new(report->call_count, compare_calls, &calls);
	if (!order) {
		message->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		list[i] = &functions[i];
	message->profile.function = list;
	add_functions_of_calls(message, &calls, order);
	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		message->stop_function_ids[stop] =
			add_function(message, pprof_extra(message, PPROF_STOP_FRAMES + stop))->id;
}

static void fill_line(Pprof__Line *line, uint64_t function, uint32_t number)
{
	pprof__line__init(line);
	line->function_id = function;
	line->line = number;
}

/* lines: beside the report's calls, then one for each stop. */
static void fill_location(struct pprof_message *message, uint32_t index, Pprof__Location *location,
			  Pprof__Line *lines)
{
	const struct report_frame *frame = &message->report->frames[index];

	location->mapping_id = message->mapping_ids[index];
	location->address = frame->address;
	location->n_line = frame->call_count;
	for (uint32_t i = 0; i < frame->call_count; i++) {
		uint32_t call = frame->first_call + i;

		fill_line(&lines[call], message->function_ids[call],
			  message->report->calls[call].line);
	}
}

void pprof_fill_locations(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t count = (size_t)report->frame_count + TM_STOP_N;
	size_t line_count = (size_t)report->call_count + TM_STOP_N;
	Pprof__Location *locations = pprof_take(message, count, sizeof(*locations));
	Pprof__Location **list = pprof_take(message, count, sizeof(Pprof__Location *));
	Pprof__Line *lines = pprof_take(message, line_count, sizeof(*lines));
	Pprof__Line **line_list = pprof_take(message, line_count, sizeof(Pprof__Line *));

	if (!locations || !list || !lines || !line_list)
		return;
	for (size_t i = 0; i < line_count; i++)
		line_list[i] = &lines[i];
	for (size_t i = 0; i < count; i++) {
		pprof__location__init(&locations[i]);
		list[i] = &locations[i];
		locations[i].id = i + 1;
	}
	for (uint32_t i = 0; i < report->frame_count; i++) {
		locations[i].line = &line_list[report->frames[i].first_call];
		fill_location(message, i, &locations[i], lines);
	}
	for (unsigned stop = 0; stop < TM_STOP_N; stop++) {
		Pprof__Location *location = &locations[report->frame_count + stop];

		fill_line(&lines[report->call_count + stop], message->stop_function_ids[stop], 0);
		location->n_line = 1;
		location->line = &line_list[report->call_count + stop];
	}
	message->profile.n_location = count;
	message->profile.location = list;
}
