/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_frames - turns encoded frames into the frames, calls and files of the report
 */

#include "symbolizer/output/report_frames.h"

#include <inttypes.h>

#include "shared/reasons.h"
#include "shared/runtime.h"
#include "symbolizer/output/report_method.h"

/*
 * Whoever names a frame calls this once. @calls: innermost first, the function that the others are
 * inlined into last; at least one. Their strings are the report's. Return: 0, BUDGET_E_SPENT.
 */
static int add_calls(struct report_frames *table, struct report_frame *frame,
		     const struct report_call *calls, uint32_t count)
{
	/* One more stays free for overflow_frame. */
	if (budget_grow(table->strings->budget, &table->calls, &table->call_capacity,
			table->call_count + count + 1, sizeof(*table->calls)))
		return BUDGET_E_SPENT;
	frame->first_call = table->call_count;
	frame->call_count = count;
	for (uint32_t i = 0; i < count; i++)
		table->calls[table->call_count++] = calls[i];
	return 0;
}

static int add_name(struct report_frames *table, struct report_frame *frame, uint32_t name)
{
	const struct report_call call = {.name = name, .system_name = name};

	return add_calls(table, frame, &call, 1);
}

/* The frame that it belongs to gets more calls after it. Return: 0, BUDGET_E_SPENT. */
static int add_inlined(struct report_frames *table, const struct name_table_call *from)
{
	const struct report_call call = {
		.name = from->function,
		.system_name = from->function,
		.path = from->path,
		.line = from->line,
		.start_line = from->start_line,
	};
	struct report_frame frame;

	return add_calls(table, &frame, &call, 1);
}

static uint64_t call_offset(uint64_t encoded, uint64_t offset)
{
	return encoded & TM_FRAME_RETURN && offset ? offset - 1 : offset;
}

static int add_offset_name(struct report_frames *table, struct report_frame *frame,
			   uint64_t own_offset)
{
	const char *base = FILES_NO_NAME;
	uint32_t name;

	frame->unnamed = true;
	if (frame->file != REPORT_NO_FILE)
		base = table->strings->items[table->files.items[frame->file].base];
	return strings_format(table->strings, &name, "%s+0x%" PRIx64, base, own_offset) ||
	       add_name(table, frame, name);
}

static void place_in_segment(const struct report_frames *table, struct report_frame *frame)
{
	const struct report_segment *segment;

	frame->segment = report_files_segment(&table->files, frame->file, frame->address);
	if (frame->segment == REPORT_NO_SEGMENT)
		return;
	segment = &table->files.segments[frame->segment];
	frame->address = segment->vaddr + (frame->address - segment->offset);
}

/*
 * The outermost function has the name of the symbol table, which tells clones of a function apart;
 * what is inlined into it has that of the debug information. An inlined call without a name is left
 * out.
 */
static int add_place_calls(struct report_frames *table, struct report_frame *frame,
			   const struct name_table_place *place, uint64_t own_offset)
{
	const struct name_table_call *from = &table->files.names->calls[place->first_call];
	const uint32_t first = table->call_count, last = place->call_count - 1;
	struct report_call *outermost;
	uint32_t name = place->name;

	if (name == NAME_TABLE_NONE)
		name = from[last].function;
	for (uint32_t i = 0; i < last; i++)
		if (from[i].function && add_inlined(table, &from[i]))
			return BUDGET_E_SPENT;
	if (name ? add_name(table, frame, name) : add_offset_name(table, frame, own_offset))
		return BUDGET_E_SPENT;
	outermost = &table->calls[frame->first_call];
	outermost->path = from[last].path;
	outermost->line = from[last].line;
	outermost->start_line = from[last].start_line;
	frame->call_count += frame->first_call - first;
	frame->first_call = first;
	return 0;
}

/* Named by the parser, else shown by its file and offset. */
static int add_place(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	bool vdso = encoded >> TM_FRAME_KIND_SHIFT == TM_FRAME_VDSO;
	uint32_t index = (uint32_t)(encoded >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;
	uint64_t offset = encoded & TM_FRAME_OFFSET_MAX;
	const struct name_table_place *place =
		name_table_find(table->files.names, name_table_key(encoded));

	frame->kind = REPORT_NATIVE;
	frame->address = call_offset(encoded, offset);
	if (vdso ? report_files_of_vdso(&table->files, &frame->file)
		 : report_files_of_index(&table->files, index, &frame->file))
		return BUDGET_E_SPENT;
	if (frame->file != REPORT_NO_FILE)
		place_in_segment(table, frame);
	if (place && place->call_count)
		return add_place_calls(table, frame, place, offset);
	if (place && place->name != NAME_TABLE_NONE)
		return add_name(table, frame, place->name);
	return add_offset_name(table, frame, offset);
}

static int add_kernel(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	uint32_t module = (uint32_t)(encoded >> TM_FRAME_MODULE_SHIFT) & TM_FRAME_MODULE_MAX;
	uint64_t offset = encoded & TM_FRAME_KOFFSET_MAX;
	const char *symbol;
	uint32_t name;

	frame->kind = REPORT_KERNEL;
	frame->address = ksyms_offset(encoded);
	symbol = ksyms_symbol(table->files.kernel, module, frame->address);
	if (report_files_of_module(&table->files, module, &frame->file))
		return BUDGET_E_SPENT;
	if (symbol && *symbol)
		return strings_add(table->strings, symbol, STRINGS_MAX_BYTES, &name) ||
		       add_name(table, frame, name);
	if (module != TM_FRAME_MODULE_UNKNOWN)
		return add_offset_name(table, frame, offset);
	frame->unnamed = true;
	return add_name(table, frame, table->files.items[frame->file].base);
}

static int add_anonymous(struct report_frames *table, const struct report_frames_key *key,
			 struct report_frame *frame)
{
	const struct jit_name found =
		jit_names_find(&table->files.names->jit, key->process, key->encoded);
	struct report_call call = {.line = found.line};
	uint32_t name;

	frame->kind = REPORT_NATIVE;
	frame->address = found.address;
	frame->process = table->processes[key->process] - 1; /* 0 - 1 is REPORT_NO_PROCESS */
	if (found.text) {
		if (strings_add(table->strings, found.text, STRINGS_MAX_BYTES, &call.name) ||
		    (found.path &&
		     strings_add(table->strings, found.path, STRINGS_MAX_BYTES, &call.path)))
			return BUDGET_E_SPENT;
		call.system_name = call.name;
		return add_calls(table, frame, &call, 1);
	}
	frame->unnamed = true;
	return strings_add(table->strings, "[anon]", 6, &name) || add_name(table, frame, name);
}

static int add_method(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	const struct method *method = methods_find(table->methods, methods_number(encoded));
	struct report_call call;

	frame->kind = REPORT_RUNTIME;
	frame->runtime = (uint8_t)report_method_runtime(method, encoded);
	return report_method_call(table->strings, method, encoded, &call, &frame->unnamed) ||
	       add_calls(table, frame, &call, 1);
}

static int add_unresolved(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	uint32_t name;

	frame->kind = REPORT_UNRESOLVED;
	frame->unnamed = true;
	if (encoded == AGGREGATE_IN_PROGRESS)
		return strings_add(table->strings, AGGREGATE_IN_PROGRESS_NAME, STRINGS_MAX_BYTES,
				   &name) ||
		       add_name(table, frame, name);
	if (encoded == AGGREGATE_MERGED)
		return strings_add(table->strings, AGGREGATE_MERGED_NAME, STRINGS_MAX_BYTES,
				   &name) ||
		       add_name(table, frame, name);
	return strings_format(table->strings, &name, "[%s]",
			      tm_reasons_unresolved((unsigned)(encoded & 0xff))) ||
	       add_name(table, frame, name);
}

/* Nothing that should have another name. */
static int add_text(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	frame->kind = REPORT_UNRESOLVED;
	return add_name(table, frame, (uint32_t)encoded);
}

static int describe(struct report_frames *table, const struct report_frames_key *key,
		    struct report_frame *frame)
{
	switch (key->encoded >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_VDSO:
		return add_place(table, key->encoded, frame);
	case TM_FRAME_KERNEL:
		return add_kernel(table, key->encoded, frame);
	case TM_FRAME_ANON:
		return add_anonymous(table, key, frame);
	case TM_FRAME_METHOD:
		return add_method(table, key->encoded, frame);
	case REPORT_FRAMES_TEXT >> TM_FRAME_KIND_SHIFT:
		return add_text(table, key->encoded, frame);
	default:
		return add_unresolved(table, key->encoded, frame);
	}
}

/* A slot more than is needed stays free for overflow_frame. */
static int add_frame(struct report_frames *table, const struct report_frames_key *key,
		     uint32_t hash)
{
	struct budget *budget = table->strings->budget;
	uint32_t index = table->frame_count, calls = table->call_count;
	struct report_frame frame = {
		.file = REPORT_NO_FILE,
		.segment = REPORT_NO_SEGMENT,
		.process = REPORT_NO_PROCESS,
		.is_return = (key->encoded & TM_FRAME_RETURN) != 0,
	};

	if (budget_grow(budget, &table->frames, &table->frame_capacity, index + 2,
			sizeof(*table->frames)) ||
	    budget_grow(budget, &table->keys, &table->key_capacity, index + 1,
			sizeof(*table->keys)) ||
	    describe(table, key, &frame) || hash_index_add(&table->lookup, hash, index)) {
		table->call_count = calls;
		return BUDGET_E_SPENT;
	}
	table->keys[index] = *key;
	table->frames[table->frame_count++] = frame;
	return 0;
}

/* In the slots that add_frame and add_calls leave free, with init's name: it cannot fail. */
static uint32_t overflow_frame(struct report_frames *table)
{
	if (!table->overflow) {
		table->frames[table->frame_count++] = (struct report_frame){
			.first_call = table->call_count,
			.call_count = 1,
			.file = REPORT_NO_FILE,
			.segment = REPORT_NO_SEGMENT,
			.process = REPORT_NO_PROCESS,
			.kind = REPORT_UNRESOLVED,
			.unnamed = true,
		};
		table->calls[table->call_count++] = (struct report_call){
			.name = table->overflow_name,
			.system_name = table->overflow_name,
		};
		table->overflow = table->frame_count;
	}
	return table->overflow - 1;
}

int report_frames_init(struct report_frames *table, const struct aggregate *aggregate,
		       const struct name_table *names, const struct ksyms *kernel,
		       const uint32_t *processes)
{
	struct strings *strings = aggregate->strings;

	*table = (struct report_frames){
		.files = {.source = aggregate->files,
			  .names = names,
			  .kernel = kernel,
			  .strings = strings},
		.methods = aggregate->methods,
		.strings = strings,
		.processes = processes,
		.lookup.budget = strings->budget,
	};
	if (strings_add(strings, "[memory]", 8, &table->overflow_name) ||
	    budget_grow(strings->budget, &table->frames, &table->frame_capacity, 1,
			sizeof(*table->frames)))
		return BUDGET_E_SPENT;
	return budget_grow(strings->budget, &table->calls, &table->call_capacity, 1,
			   sizeof(*table->calls));
}

void report_frames_deinit(struct report_frames *table)
{
	struct budget *budget = table->strings->budget;

	budget_drop(budget, &table->frames, &table->frame_capacity, sizeof(*table->frames));
	budget_drop(budget, &table->keys, &table->key_capacity, sizeof(*table->keys));
	budget_drop(budget, &table->calls, &table->call_capacity, sizeof(*table->calls));
	report_files_deinit(&table->files);
	hash_index_deinit(&table->lookup);
}

uint32_t report_frames_of(struct report_frames *table, uint64_t encoded, uint32_t process)
{
	struct report_frames_key key = {
		.encoded = encoded,
		.process = encoded >> TM_FRAME_KIND_SHIFT == TM_FRAME_ANON ? process
									   : AGGREGATE_NO_PROCESS,
	};
	uint32_t hash = hash_bytes(table->strings->seed, &key, sizeof(key));
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&table->lookup, &walk)) != HASH_INDEX_NONE)
		if (table->keys[index].encoded == encoded &&
		    table->keys[index].process == key.process)
			return index;
	if (add_frame(table, &key, hash))
		return overflow_frame(table);
	return table->frame_count - 1;
}
