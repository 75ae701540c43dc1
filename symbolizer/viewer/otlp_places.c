/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_places - the locations of an OTLP request as merged frames, their mappings as files */

#include <string.h>

#include "shared/runtime.h"
#include "symbolizer/output/otlp_names.h"
#include "symbolizer/viewer/otlp_body.h"

/* The last component of a path, as a string. */
static int add_base(struct otlp_body *body, struct report_file *file)
{
	const char *path = body->merge->strings.items[file->path];
	const char *slash = strrchr(path, '/');

	file->base = file->path;
	if (!slash || !slash[1])
		return 0;
	return strings_add(&body->merge->strings, slash + 1, STRINGS_MAX_BYTES, &file->base)
		       ? OTLP_BODY_E_MEMORY
		       : 0;
}

static int add_file(struct otlp_body *body, struct report_file *file, uint32_t *ret_file)
{
	int r = add_base(body, file);

	if (r == 0 && merge_file(body->merge, file, ret_file))
		r = OTLP_BODY_E_MEMORY;
	return r;
}

/* --- mappings --------------------------------------------------------------------------------- */

static int describe_file(struct otlp_body *body, const Otlp__Mapping *mapping,
			 struct report_file *file)
{
	int r = otlp_body_string(body, mapping->filename_strindex, &file->path);

	for (size_t i = 0; r == 0 && i < mapping->n_attribute_indices; i++) {
		struct attribute *attribute;

		r = otlp_body_attribute(body, mapping->attribute_indices[i], &attribute);
		if (r == 0 && attribute->kind == ATTRIBUTES_BUILD_ID)
			r = otlp_body_attribute_string(body, attribute, &file->build_id);
		if (r == 0 && attribute->kind == ATTRIBUTES_GO_BUILD_ID)
			r = otlp_body_attribute_string(body, attribute, &file->go_build_id);
		if (r == 0 && attribute->kind == ATTRIBUTES_HTLHASH)
			r = otlp_body_attribute_string(body, attribute, &file->htlhash);
		if (r == 0 && attribute->kind == ATTRIBUTES_FILE_FLAGS) {
			file->is_go = (attribute->number & OTLP_FILE_GO) != 0;
			file->has_symbols = (attribute->number & OTLP_FILE_SYMBOLS) != 0;
			file->deleted = (attribute->number & OTLP_FILE_DELETED) != 0;
		}
	}
	return r;
}

static int add_place(struct otlp_body *body, const Otlp__Mapping *mapping,
		     struct otlp_body_place *place)
{
	const struct report_segment segment = {
		.vaddr = mapping->memory_start,
		.bytes = mapping->memory_limit - mapping->memory_start,
		.offset = mapping->file_offset,
	};
	struct report_file file = {0};
	uint32_t number = 0;
	int r = describe_file(body, mapping, &file);

	place->segment = REPORT_NO_SEGMENT;
	if (r == 0)
		r = add_file(body, &file, &number);
	if (r == 0 && mapping->memory_limit > mapping->memory_start &&
	    merge_segment(body->merge, number, &segment, &place->segment))
		r = OTLP_BODY_E_MEMORY;
	place->file = number + 1;
	return r;
}

/* Mapping 0 is none. */
static int place_frame(struct otlp_body *body, int32_t index, struct report_frame *frame)
{
	struct otlp_body_place *place;
	int r = 0;

	if (index < 0 || (index > 0 && (size_t)index >= body->dictionary->n_mapping_table))
		return OTLP_BODY_E_INVALID;
	if (index == 0)
		return 0;
	place = &body->places[index];
	if (!place->file)
		r = add_place(body, body->dictionary->mapping_table[index], place);
	frame->file = place->file - 1;
	frame->segment = place->segment;
	return r;
}

/* --- locations -------------------------------------------------------------------------------- */

static int add_call(struct otlp_body *body, const Otlp__Line *line, struct report_call *call)
{
	const Otlp__Function *function;
	int r;

	if (line->function_index < 0 ||
	    (size_t)line->function_index >= body->dictionary->n_function_table)
		return OTLP_BODY_E_INVALID;
	function = body->dictionary->function_table[line->function_index];
	if (line->line < 0 || line->line > UINT32_MAX || function->start_line < 0 ||
	    function->start_line > UINT32_MAX)
		return OTLP_BODY_E_INVALID;
	call->line = (uint32_t)line->line;
	call->start_line = (uint32_t)function->start_line;
	r = otlp_body_string(body, function->name_strindex, &call->name);
	if (r == 0)
		r = otlp_body_string(body, function->system_name_strindex, &call->system_name);
	return r ? r : otlp_body_string(body, function->filename_strindex, &call->path);
}

/* What has no name is shown by its file and address. */
static int add_address(struct otlp_body *body, const struct report_frame *frame,
		       struct report_call *call)
{
	const struct report_file *files = body->merge->files.items;
	struct strings *strings = &body->merge->strings;
	const char *base =
		frame->file == REPORT_NO_FILE ? "" : strings->items[files[frame->file].base];

	if (strings_format(strings, &call->name, "%s+0x%llx", base,
			   (unsigned long long)frame->address))
		return OTLP_BODY_E_MEMORY;
	call->system_name = call->name;
	return 0;
}

static int add_calls(struct otlp_body *body, const Otlp__Location *location,
		     struct report_frame *frame, struct report_call calls[MERGE_CALLS_MAX])
{
	int r = location->n_lines > MERGE_CALLS_MAX ? OTLP_BODY_E_INVALID : 0;

	frame->call_count = 1;
	calls[0] = (struct report_call){0};
	if (r == 0 && location->n_lines == 0) {
		frame->unnamed = true;
		return add_address(body, frame, &calls[0]);
	}
	for (size_t i = 0; r == 0 && i < location->n_lines; i++) {
		calls[i] = (struct report_call){0};
		r = add_call(body, location->lines[i], &calls[i]);
		frame->call_count = (uint32_t)i + 1;
	}
	return r;
}

struct described { /* what attributes say of a location */
	uint64_t flags;
	const char *type;
	struct attribute *file; /* NULL: none */
};

static int describe(struct otlp_body *body, const Otlp__Location *location,
		    struct described *described)
{
	*described = (struct described){.type = ""};
	for (size_t i = 0; i < location->n_attribute_indices; i++) {
		struct attribute *attribute;

		if (otlp_body_attribute(body, location->attribute_indices[i], &attribute))
			return OTLP_BODY_E_INVALID;
		if (attribute->kind == ATTRIBUTES_FRAME_FLAGS)
			described->flags = attribute->number;
		else if (attribute->kind == ATTRIBUTES_FRAME_TYPE)
			described->type = attribute->text;
		else if (attribute->kind == ATTRIBUTES_FRAME_FILE)
			described->file = attribute;
	}
	return 0;
}

static uint8_t kind_of(const struct described *described)
{
	if (described->flags & OTLP_FRAME_OURS)
		return (uint8_t)(described->flags & OTLP_FRAME_KIND);
	if (strcmp(described->type, "kernel") == 0)
		return REPORT_KERNEL;
	return strcmp(described->type, "native") == 0 || !described->type[0] ? REPORT_NATIVE
									     : REPORT_RUNTIME;
}

/* Of other programs' frames the names have other forms. */
static uint8_t runtime_of(const struct described *described)
{
	if (kind_of(described) != REPORT_RUNTIME || !(described->flags & OTLP_FRAME_OURS))
		return 0;
	return strcmp(described->type, OTLP_TYPE_JAVA) == 0 ? TM_RUNTIME_JAVA : TM_RUNTIME_PYTHON;
}

/* The kernel, one of its modules, the vDSO; a file that was not read. */
static int add_named_file(struct otlp_body *body, const struct described *described,
			  struct report_frame *frame)
{
	struct report_file file = {
		.is_kernel = frame->kind == REPORT_KERNEL,
		.deleted = (described->flags & OTLP_FRAME_DELETED) != 0,
	};
	int r = otlp_body_attribute_string(body, described->file, &file.path);

	return r ? r : add_file(body, &file, &frame->file);
}

static int add_frame(struct otlp_body *body, const Otlp__Location *location,
		     const struct described *described, uint32_t process, uint32_t *ret_frame)
{
	struct report_call calls[MERGE_CALLS_MAX];
	struct report_frame frame = {
		.file = REPORT_NO_FILE,
		.segment = REPORT_NO_SEGMENT,
		.process = process,
		.kind = kind_of(described),
		.runtime = runtime_of(described),
		.unnamed = (described->flags & OTLP_FRAME_UNNAMED) != 0,
		.is_return = (described->flags & OTLP_FRAME_RETURN) != 0,
		.address = location->address,
	};
	int r = place_frame(body, location->mapping_index, &frame);

	if (r == 0 && frame.file == REPORT_NO_FILE && described->file)
		r = add_named_file(body, described, &frame);
	if (r == 0)
		r = add_calls(body, location, &frame, calls);
	if (r == 0 && merge_frame(body->merge, &frame, calls, ret_frame))
		r = OTLP_BODY_E_MEMORY;
	return r;
}

int otlp_body_frame(struct otlp_body *body, int32_t index, uint32_t process, uint32_t *ret_frame,
		    bool *ret_own)
{
	const Otlp__Location *location;
	struct described described;
	bool own;
	int r;

	*ret_own = false;
	if (index <= 0 || (size_t)index >= body->dictionary->n_location_table)
		return OTLP_BODY_E_INVALID;
	if (body->frames[index]) {
		*ret_frame = body->frames[index] == OTLP_BODY_STOP ? OTLP_BODY_STOP
								   : body->frames[index] - 1;
		return 0;
	}
	location = body->dictionary->location_table[index];
	r = describe(body, location, &described);
	*ret_frame = OTLP_BODY_STOP;
	own = (described.flags & OTLP_FRAME_ANONYMOUS) != 0;
	if (r == 0 && !(described.flags & OTLP_FRAME_STOP))
		r = add_frame(body, location, &described, own ? process : REPORT_NO_PROCESS,
			      ret_frame);
	*ret_own = own;
	if (r == 0 && !own)
		body->frames[index] =
			*ret_frame == OTLP_BODY_STOP ? OTLP_BODY_STOP : *ret_frame + 1;
	return r;
}
