/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_stacks - functions, mappings, locations and stacks in the tables of an OTLP request */

#include <stdio.h>
#include <string.h>

#include "shared/reasons.h"
#include "shared/runtime.h"
#include "symbolizer/output/otlp_message.h"

#define MAPPING_ATTRIBUTES  4u
#define LOCATION_ATTRIBUTES 3u

static int32_t report_string(struct otlp_message *message, uint32_t string)
{
	return otlp_string(message, message->report->strings[string]);
}

/* --- functions -------------------------------------------------------------------------------- */

static int32_t function_of(struct otlp_message *message, int32_t name, int32_t system_name,
			   int32_t path, uint32_t start_line)
{
	const uint32_t key[] = {(uint32_t)name, (uint32_t)system_name, (uint32_t)path, start_line};
	Otlp__Function *function;
	bool is_new;
	uint32_t number = otlp_index_add(&message->functions, key, sizeof(key), &is_new);

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

struct mapping_key {
	uint64_t start, limit, offset;
	int32_t path;
	int32_t attributes[MAPPING_ATTRIBUTES]; /* 0: there are no more */
};

static void add_attribute(struct mapping_key *key, int32_t attribute)
{
	unsigned at = 0;

	while (key->attributes[at] != 0)
		at++;
	key->attributes[at] = attribute;
}

static unsigned flags_of_file(const struct report_file *file)
{
	return (file->has_symbols ? OTLP_FILE_SYMBOLS : 0u) |
	       (file->deleted ? OTLP_FILE_DELETED : 0u) | (file->is_go ? OTLP_FILE_GO : 0u);
}

static void add_id(struct otlp_message *message, struct mapping_key *key, const char *name,
		   uint32_t string)
{
	if (string != 0)
		add_attribute(key,
			      otlp_text_attribute(message, name, message->report->strings[string]));
}

/* Two files of one path and content are one. */
static uint32_t add_mapping(struct otlp_message *message, const struct report_file *file,
			    const struct report_segment *segment)
{
	struct mapping_key key = {.path = report_string(message, file->path)}, *kept;
	Otlp__Mapping *mapping;
	uint32_t number;
	bool is_new;

	if (segment) {
		key.start = segment->vaddr;
		key.limit = segment->vaddr + segment->bytes;
		key.offset = segment->offset;
	}
	add_id(message, &key, OTLP_HTLHASH, file->htlhash);
	add_id(message, &key, OTLP_GNU_BUILD_ID, file->build_id);
	add_id(message, &key, OTLP_GO_BUILD_ID, file->go_build_id);
	add_attribute(&key, otlp_number_attribute(message, OTLP_FILE_FLAGS, flags_of_file(file)));
	number = otlp_index_add(&message->mappings, &key, sizeof(key), &is_new);
	mapping = is_new ? otlp_add_mapping(message) : NULL;
	if (!mapping)
		return number;
	kept = (struct mapping_key *)(uintptr_t)message->mappings.keys[number].bytes;
	mapping->filename_strindex = key.path;
	mapping->memory_start = key.start;
	mapping->memory_limit = key.limit;
	mapping->file_offset = key.offset;
	mapping->attribute_indices = kept->attributes;
	while (mapping->n_attribute_indices < MAPPING_ATTRIBUTES &&
	       kept->attributes[mapping->n_attribute_indices] != 0)
		mapping->n_attribute_indices++;
	return number;
}

/* One in memory alone has a name without a slash (memfd:x). NULL: the kernel, the vDSO, whose name
 * is in brackets, anonymous memory. */
static const struct report_file *file_of(const struct report *report,
					 const struct report_frame *frame)
{
	const struct report_file *file =
		frame->file == REPORT_NO_FILE ? NULL : &report->files[frame->file];

	return file && !file->is_kernel && report->strings[file->path][0] != '[' ? file : NULL;
}

/* Return: 0: a file that was not read has none, since a mapping must say which file it is. */
static int32_t mapping_of(struct otlp_message *message, const struct report_frame *frame,
			  const struct report_file *file)
{
	const struct report_segment *segment = NULL;
	uint32_t *number;

	if (!file || file->htlhash == 0)
		return 0;
	number = &message->mapping_of_file[frame->file];
	if (frame->segment != REPORT_NO_SEGMENT) {
		segment = &message->report->segments[frame->segment];
		number = &message->mapping_of_segment[frame->segment];
	}
	if (*number == 0)
		*number = add_mapping(message, file, segment);
	return (int32_t)*number;
}

/* --- locations -------------------------------------------------------------------------------- */

struct location_key { /* its functions follow, innermost first, each with its line */
	uint64_t address;
	int32_t mapping;
	int32_t attributes[LOCATION_ATTRIBUTES]; /* type, flags, file; 0: there is none */
	uint32_t count;
	uint32_t functions[][2];
};

static struct location_key *take_key(struct otlp_message *message, uint32_t count)
{
	struct location_key *key =
		otlp_take(message, 1, sizeof(*key) + count * sizeof(key->functions[0]));

	if (key)
		key->count = count;
	return key;
}

static void set_lines(struct otlp_message *message, Otlp__Location *location,
		      const struct location_key *key)
{
	Otlp__Line *lines = otlp_take(message, key->count, sizeof(*lines));

	location->lines = otlp_take(message, key->count, sizeof(Otlp__Line *));
	if (!lines || !location->lines)
		return;
	location->n_lines = key->count;
	for (uint32_t i = 0; i < key->count; i++) {
		otlp__line__init(&lines[i]);
		lines[i].function_index = (int32_t)key->functions[i][0];
		lines[i].line = key->functions[i][1];
		location->lines[i] = &lines[i];
	}
}

static uint32_t add_location(struct otlp_message *message, struct location_key *key)
{
	const size_t bytes = sizeof(*key) + key->count * sizeof(key->functions[0]);
	Otlp__Location *location;
	bool is_new;
	uint32_t number = otlp_index_add(&message->locations, key, bytes, &is_new);

	location = is_new ? otlp_add_location(message) : NULL;
	if (!location)
		return number;
	location->mapping_index = key->mapping;
	location->address = key->address;
	location->attribute_indices = key->attributes;
	location->n_attribute_indices = key->attributes[2] ? 3 : 2;
	set_lines(message, location, key);
	return number;
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

/* Go writes the package before each name; what else is in such a file is C or assembly. Receivers
 * refuse kinds of their own, so what a JIT compiler made, of whatever language, is native unless
 * its runtime is walked. */
static const char *type_of(const struct report *report, const struct report_frame *frame,
			   const struct report_file *file)
{
	const char *name = report->strings[report_outermost(report, frame)->system_name];

	if (frame->kind == REPORT_KERNEL)
		return "kernel";
	if (frame->kind == REPORT_RUNTIME)
		return frame->runtime == TM_RUNTIME_JAVA ? OTLP_TYPE_JAVA : OTLP_TYPE_PYTHON;
	return file && file->is_go && !frame->unnamed && strchr(name, '.') ? "go" : "native";
}

static unsigned flags_of(const struct report *report, const struct report_frame *frame)
{
	const bool deleted = frame->file != REPORT_NO_FILE && report->files[frame->file].deleted;

	return OTLP_FRAME_OURS | frame->kind | (frame->unnamed ? OTLP_FRAME_UNNAMED : 0u) |
	       (frame->is_return ? OTLP_FRAME_RETURN : 0u) |
	       (frame->process != REPORT_NO_PROCESS ? OTLP_FRAME_ANONYMOUS : 0u) |
	       (deleted ? OTLP_FRAME_DELETED : 0u);
}

static uint32_t location_of_frame(struct otlp_message *message, uint32_t index)
{
	const struct report *report = message->report;
	const struct report_frame *frame = &report->frames[index];
	const struct report_file *file = file_of(report, frame);
	const struct report_call *calls = &report->calls[frame->first_call];
	uint32_t *number = &message->location_of_frame[index];
	struct location_key *key;

	if (*number != 0)
		return *number;
	key = take_key(message, frame->call_count);
	if (!key)
		return 0;
	key->address = frame->address;
	key->mapping = mapping_of(message, frame, file);
	key->attributes[0] =
		otlp_text_attribute(message, OTLP_FRAME_TYPE, type_of(report, frame, file));
	key->attributes[1] =
		otlp_number_attribute(message, OTLP_FRAME_FLAGS, flags_of(report, frame));
	if (key->mapping == 0 && frame->file != REPORT_NO_FILE)
		key->attributes[2] = otlp_text_attribute(
			message, OTLP_FRAME_FILE, report->strings[report->files[frame->file].path]);
	for (uint32_t i = 0; i < frame->call_count; i++) {
		key->functions[i][0] = (uint32_t)function_of_call(message, &calls[i]);
		key->functions[i][1] = calls[i].line;
	}
	*number = add_location(message, key);
	return *number;
}

/* What stands in place of a root that is missing. */
static uint32_t location_of_stop(struct otlp_message *message, unsigned stop)
{
	uint32_t *number = &message->location_of_stop[stop];
	char *text = message->stops[stop];
	struct location_key *key = *number ? NULL : take_key(message, 1);

	if (!key)
		return *number;
	if (stop == TM_STOP_NONE)
		(void)snprintf(text, OTLP_STOP_BYTES, "[no frames]");
	else
		(void)snprintf(text, OTLP_STOP_BYTES, "[truncated: %s]", tm_reasons_stop(stop));
	key->attributes[0] = otlp_text_attribute(message, OTLP_FRAME_TYPE, "native");
	key->attributes[1] =
		otlp_number_attribute(message, OTLP_FRAME_FLAGS, OTLP_FRAME_STOP | OTLP_FRAME_OURS);
	key->functions[0][0] = (uint32_t)function_of(message, otlp_string(message, text), 0, 0, 0);
	*number = add_location(message, key);
	return *number;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t add_stack(struct otlp_message *message, const struct report_sample *sample)
{
	const struct report_stack *from = &message->report->stacks[sample->stack];
	const bool cut = sample->stop != TM_STOP_NONE || from->count == 0;
	int32_t *list = otlp_take(message, (size_t)from->count + 1, sizeof(*list));
	size_t count = 0;
	Otlp__Stack *stack;
	uint32_t number;
	bool is_new;

	if (!list)
		return 0;
	for (uint32_t i = 0; i < from->count; i++)
		list[count++] = (int32_t)location_of_frame(
			message, message->report->stack_frames[from->first + i]);
	if (cut)
		list[count++] = (int32_t)location_of_stop(message, sample->stop);
	number = otlp_index_add(&message->stacks, list, count * sizeof(*list), &is_new);
	stack = is_new ? otlp_add_stack(message) : NULL;
	if (stack) {
		stack->location_indices = list;
		stack->n_location_indices = count;
	}
	return number;
}

int32_t otlp_stack(struct otlp_message *message, const struct report_sample *sample)
{
	const uint32_t key[] = {sample->stack, sample->stop};
	bool is_new;
	uint32_t shown = otlp_index_add(&message->shown, key, sizeof(key), &is_new);

	if (is_new)
		message->stack_of_shown[shown] = add_stack(message, sample);
	return (int32_t)message->stack_of_shown[shown];
}
