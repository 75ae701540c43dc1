/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_stacks - functions, mappings, locations and stacks in the tables of an OTLP request */

#include <stdio.h>

#include "shared/reasons.h"
#include "symbolizer/output/otlp_message.h"

#define GNU_BUILD_ID "process.executable.build_id.gnu"
#define FRAME_TYPE   "profile.frame.type"

static int32_t report_string(struct otlp_message *message, uint32_t string)
{
	return otlp_string(message, message->report->strings[string]);
}

/* --- functions -------------------------------------------------------------------------------- */

static int32_t function_of(struct otlp_message *message, int32_t name, int32_t system_name,
			   int32_t path, uint32_t start_line)
{
	const struct otlp_key key = {
		{(uint64_t)name << 32 | (uint32_t)system_name, (uint64_t)path << 32 | start_line}};
	Otlp__Function *function;
	bool is_new;
	uint32_t number = otlp_index_add(&message->functions, key, &is_new);

	function = is_new ? otlp_add_function(message) : NULL;
	if (function) {
		function->name_strindex = name;
		function->system_name_strindex = system_name;
		function->filename_strindex = path;
		function->start_line = start_line;
	}
	return (int32_t)number;
}

/* --- mappings --------------------------------------------------------------------------------- */

static void describe_file(struct otlp_message *message, Otlp__Mapping *mapping,
			  const struct report_file *file)
{
	mapping->filename_strindex = report_string(message, file->path);
	if (file->build_id == 0)
		return;
	mapping->attribute_indices = otlp_attribute_list(
		message, otlp_text_attribute(message, GNU_BUILD_ID,
					     message->report->strings[file->build_id]));
	mapping->n_attribute_indices = mapping->attribute_indices ? 1 : 0;
}

/* Only files that have a path: the kernel, the vDSO and anonymous memory have no mapping. */
static int32_t mapping_of(struct otlp_message *message, const struct report_frame *frame)
{
	const struct report *report = message->report;
	const struct report_segment *segment = NULL;
	const struct report_file *file;
	Otlp__Mapping *mapping;
	uint32_t *number;

	if (frame->file == REPORT_NO_FILE)
		return 0;
	file = &report->files[frame->file];
	if (file->is_kernel || report->strings[file->path][0] != '/')
		return 0;
	number = &message->mapping_of_file[frame->file];
	if (frame->segment != REPORT_NO_SEGMENT) {
		segment = &report->segments[frame->segment];
		number = &message->mapping_of_segment[frame->segment];
	}
	if (*number == 0 && (mapping = otlp_add_mapping(message))) {
		*number = (uint32_t)message->dictionary.n_mapping_table - 1;
		describe_file(message, mapping, file);
		mapping->memory_start = segment ? segment->vaddr : 0;
		mapping->memory_limit = segment ? segment->vaddr + segment->bytes : 0;
		mapping->file_offset = segment ? segment->offset : 0;
	}
	return (int32_t)*number;
}

/* --- locations -------------------------------------------------------------------------------- */

static void take_lines(struct otlp_message *message, Otlp__Location *location, uint32_t count)
{
	Otlp__Line *lines = otlp_take(message, count, sizeof(*lines));

	location->lines = otlp_take(message, count, sizeof(Otlp__Line *));
	if (!lines || !location->lines)
		return;
	location->n_lines = count;
	for (uint32_t i = 0; i < count; i++) {
		otlp__line__init(&lines[i]);
		location->lines[i] = &lines[i];
	}
}

/* Receivers refuse a location without it, and kinds of their own. */
static void set_type(struct otlp_message *message, Otlp__Location *location, const char *type)
{
	location->attribute_indices =
		otlp_attribute_list(message, otlp_text_attribute(message, FRAME_TYPE, type));
	location->n_attribute_indices = location->attribute_indices ? 1 : 0;
}

/* A function with no string at all is none to receivers. */
static int32_t function_of_call(struct otlp_message *message, const struct report_call *call)
{
	const int32_t system_name = report_string(message, call->system_name);
	const int32_t name = report_string(message, call->name);
	const bool named = name != 0 || system_name != 0;

	return function_of(message, named ? name : otlp_string(message, "[unnamed]"), system_name,
			   report_string(message, call->path), call->start_line);
}

static void fill_location(struct otlp_message *message, const struct report_frame *frame,
			  Otlp__Location *location)
{
	const struct report_call *calls = &message->report->calls[frame->first_call];

	location->mapping_index = mapping_of(message, frame);
	location->address = frame->address;
	set_type(message, location, frame->kind == REPORT_KERNEL ? "kernel" : "native");
	take_lines(message, location, frame->call_count);
	for (uint32_t i = 0; i < location->n_lines; i++) {
		location->lines[i]->function_index = function_of_call(message, &calls[i]);
		location->lines[i]->line = calls[i].line;
	}
}

static int32_t location_of_frame(struct otlp_message *message, uint32_t index)
{
	uint32_t *number = &message->location_of_frame[index];
	Otlp__Location *location;

	if (*number == 0 && (location = otlp_add_location(message))) {
		*number = (uint32_t)message->dictionary.n_location_table - 1;
		fill_location(message, &message->report->frames[index], location);
	}
	return (int32_t)*number;
}

/* What stands in place of a root that is missing. */
static int32_t location_of_stop(struct otlp_message *message, unsigned stop)
{
	uint32_t *number = &message->location_of_stop[stop];
	char *text = message->stops[stop];
	Otlp__Location *location;

	if (*number != 0 || !(location = otlp_add_location(message)))
		return (int32_t)*number;
	*number = (uint32_t)message->dictionary.n_location_table - 1;
	if (stop == TM_STOP_NONE)
		(void)snprintf(text, OTLP_STOP_BYTES, "[no frames]");
	else
		(void)snprintf(text, OTLP_STOP_BYTES, "[truncated: %s]", tm_reasons_stop(stop));
	set_type(message, location, "native");
	take_lines(message, location, 1);
	if (location->n_lines)
		location->lines[0]->function_index =
			function_of(message, otlp_string(message, text), 0, 0, 0);
	return (int32_t)*number;
}

/* --- stacks ----------------------------------------------------------------------------------- */

int32_t otlp_stack(struct otlp_message *message, const struct report_sample *sample)
{
	const struct report_stack *from = &message->report->stacks[sample->stack];
	const bool cut = sample->stop != TM_STOP_NONE || from->count == 0;
	const struct otlp_key key = {{(uint64_t)sample->stack + 1, sample->stop}};
	bool is_new;
	uint32_t number = otlp_index_add(&message->stacks, key, &is_new);
	Otlp__Stack *stack = is_new ? otlp_add_stack(message) : NULL;

	if (!stack)
		return (int32_t)number;
	stack->location_indices = otlp_take(message, (size_t)from->count + 1, sizeof(int32_t));
	if (!stack->location_indices)
		return 0;
	for (uint32_t i = 0; i < from->count; i++)
		stack->location_indices[stack->n_location_indices++] =
			location_of_frame(message, message->report->stack_frames[from->first + i]);
	if (cut)
		stack->location_indices[stack->n_location_indices++] =
			location_of_stop(message, sample->stop);
	return (int32_t)number;
}
