/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_frames - turns encoded frames into the frames and files of the report
 */

#include "symbolizer/output/report_frames.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "shared/reasons.h"

static int new_file(struct report_frames *table, const struct report_file *file, uint32_t *slot)
{
	if (budget_grow(table->strings->budget, &table->files, &table->file_capacity,
			table->file_count + 1, sizeof(*table->files)))
		return BUDGET_E_SPENT;
	table->files[table->file_count++] = *file;
	*slot = table->file_count;
	return 0;
}

static const struct name_table_file *parsed_file(const struct name_table *names, uint32_t index)
{
	uint32_t low = 0, high = names->file_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (names->files[middle].file < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->file_count && names->files[low].file == index ? &names->files[low]
									  : NULL;
}

static void take_segment(struct report_file *file, const struct name_table_file *parsed)
{
	if (!parsed)
		return;
	file->build_id = parsed->build_id;
	file->has_symbols = parsed->has_symbols;
	if (parsed->bytes) {
		file->vaddr_start = parsed->vaddr;
		file->vaddr_end = parsed->vaddr + parsed->bytes;
		file->file_offset = parsed->offset;
	}
}

static int file_frame(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	uint32_t index = (uint32_t)(encoded >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;
	const struct file *source = &table->source->items[index];
	struct report_file file = {
		.path = source->path,
		.base = source->base,
		.deleted = source->deleted,
		.no_file = source->reason,
		.unopened = !source->opened,
	};

	if (!source->announced)
		return 0;
	if (budget_grow(table->strings->budget, &table->file_of_index, &table->index_capacity,
			index + 1, sizeof(*table->file_of_index)))
		return BUDGET_E_SPENT;
	take_segment(&file, parsed_file(table->names, index));
	if (!table->file_of_index[index] && new_file(table, &file, &table->file_of_index[index]))
		return BUDGET_E_SPENT;
	frame->file = table->file_of_index[index] - 1;
	return 0;
}

static int vdso_frame(struct report_frames *table, struct report_frame *frame)
{
	struct report_file file = {0};

	take_segment(&file, parsed_file(table->names, NAME_TABLE_VDSO));
	if (!table->vdso_file) {
		if (strings_add(table->strings, "[vdso]", 6, &file.path))
			return BUDGET_E_SPENT;
		file.base = file.path;
		if (new_file(table, &file, &table->vdso_file))
			return BUDGET_E_SPENT;
	}
	frame->file = table->vdso_file - 1;
	return 0;
}

/* Named by the parser, else shown by its file and offset. */
static int place_frame(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	bool vdso = encoded >> TM_FRAME_KIND_SHIFT == TM_FRAME_VDSO;
	uint64_t offset = encoded & TM_FRAME_OFFSET_MAX;
	const struct name_table_place *place =
		name_table_find(table->names, name_table_key(encoded));
	const char *base = FILES_NO_NAME;

	frame->kind = REPORT_NATIVE;
	if (vdso ? vdso_frame(table, frame) : file_frame(table, encoded, frame))
		return BUDGET_E_SPENT;
	frame->address = offset;
	if (place && place->has_vaddr)
		frame->address = place->vaddr + (encoded & TM_FRAME_RETURN && offset ? 1 : 0);
	if (place && place->name != NAME_TABLE_NONE) {
		frame->name = place->name;
		return 0;
	}
	frame->unnamed = true;
	if (frame->file != REPORT_NO_FILE)
		base = table->strings->items[table->files[frame->file].base];
	return strings_format(table->strings, &frame->name, "%s+0x%" PRIx64, base, offset);
}

static int module_file(struct report_frames *table, uint32_t module, struct report_frame *frame)
{
	const char *name = ksyms_module(table->kernel, module);
	struct report_file file = {.is_kernel = true, .has_symbols = name != NULL};
	uint32_t *slot;

	if (budget_grow(table->strings->budget, &table->file_of_module, &table->module_capacity,
			module + 1, sizeof(*table->file_of_module)))
		return BUDGET_E_SPENT;
	slot = &table->file_of_module[module];
	if (!*slot) {
		/* Module 0 is the kernel itself. */
		if (strings_format(table->strings, &file.path, "[%s]",
				   name && module ? name : "kernel"))
			return BUDGET_E_SPENT;
		file.base = file.path;
		if (new_file(table, &file, slot))
			return BUDGET_E_SPENT;
	}
	frame->file = *slot - 1;
	return 0;
}

static int kernel_frame(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	uint32_t module = (uint32_t)(encoded >> TM_FRAME_MODULE_SHIFT) & TM_FRAME_MODULE_MAX;
	uint64_t offset = encoded & TM_FRAME_KOFFSET_MAX;
	uint64_t call = encoded & TM_FRAME_RETURN && offset ? offset - 1 : offset;
	const char *name = ksyms_symbol(table->kernel, module, call);

	frame->kind = REPORT_KERNEL;
	frame->address = offset;
	if (module_file(table, module, frame))
		return BUDGET_E_SPENT;
	if (name && *name)
		return strings_add(table->strings, name, STRINGS_MAX_BYTES, &frame->name);
	frame->unnamed = true;
	name = table->strings->items[table->files[frame->file].base];
	if (module == TM_FRAME_MODULE_UNKNOWN)
		return strings_format(table->strings, &frame->name, "%s", name);
	return strings_format(table->strings, &frame->name, "%s+0x%" PRIx64, name, offset);
}

static int describe(struct report_frames *table, uint64_t encoded, struct report_frame *frame)
{
	switch (encoded >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_VDSO:
		return place_frame(table, encoded, frame);
	case TM_FRAME_KERNEL:
		return kernel_frame(table, encoded, frame);
	case TM_FRAME_ANON:
		frame->kind = REPORT_NATIVE;
		frame->unnamed = true;
		return strings_add(table->strings, "[anon]", 6, &frame->name);
	default:
		frame->kind = REPORT_UNRESOLVED;
		frame->unnamed = true;
		return strings_format(table->strings, &frame->name, "[%s]",
				      tm_reasons_unresolved((unsigned)(encoded & 0xff)));
	}
}

/* Two encoded frames may be one: a return address and an exact one at the same place. */
static int unite(struct report_frames *table, const struct report_frame *frame, uint32_t *ret_frame)
{
	uint64_t key[2] = {(uint64_t)frame->file << 32 | frame->name, frame->address};
	uint32_t hash = hash_bytes(table->strings->seed, key, sizeof(key));
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&table->frame_lookup, &walk)) != HASH_INDEX_NONE) {
		const struct report_frame *other = &table->frames[index];

		if (other->file == frame->file && other->name == frame->name &&
		    other->address == frame->address)
			break;
	}
	if (index == HASH_INDEX_NONE) {
		index = table->frame_count;
		if (budget_grow(table->strings->budget, &table->frames, &table->frame_capacity,
				index + 2, sizeof(*table->frames)) ||
		    hash_index_add(&table->frame_lookup, hash, index))
			return BUDGET_E_SPENT;
		table->frames[table->frame_count++] = *frame;
	}
	*ret_frame = index;
	return 0;
}

/* In the slot that unite leaves free, with the name that init added: it cannot fail. */
static uint32_t overflow_frame(struct report_frames *table)
{
	if (!table->overflow) {
		table->frames[table->frame_count++] = (struct report_frame){
			.name = table->overflow_name,
			.kind = REPORT_UNRESOLVED,
			.unnamed = true,
			.file = REPORT_NO_FILE,
		};
		table->overflow = table->frame_count;
	}
	return table->overflow - 1;
}

static int remember(struct report_frames *table, uint64_t encoded, uint32_t hash, uint32_t frame)
{
	if (budget_grow(table->strings->budget, &table->entries, &table->entry_capacity,
			table->entry_count + 1, sizeof(*table->entries)) ||
	    hash_index_add(&table->entry_lookup, hash, table->entry_count))
		return BUDGET_E_SPENT;
	table->entries[table->entry_count++] = (struct report_frames_entry){encoded, frame};
	return 0;
}

int report_frames_init(struct report_frames *table, const struct files *files,
		       const struct name_table *names, const struct ksyms *kernel,
		       struct strings *strings)
{
	*table = (struct report_frames){
		.source = files,
		.names = names,
		.kernel = kernel,
		.strings = strings,
		.frame_lookup.budget = strings->budget,
		.entry_lookup.budget = strings->budget,
	};
	if (strings_add(strings, "[memory]", 8, &table->overflow_name))
		return BUDGET_E_SPENT;
	return budget_grow(strings->budget, &table->frames, &table->frame_capacity, 1,
			   sizeof(*table->frames));
}

void report_frames_deinit(struct report_frames *table)
{
	struct budget *budget = table->strings->budget;

	budget_drop(budget, &table->frames, &table->frame_capacity, sizeof(*table->frames));
	budget_drop(budget, &table->files, &table->file_capacity, sizeof(*table->files));
	budget_drop(budget, &table->entries, &table->entry_capacity, sizeof(*table->entries));
	budget_drop(budget, &table->file_of_index, &table->index_capacity,
		    sizeof(*table->file_of_index));
	budget_drop(budget, &table->file_of_module, &table->module_capacity,
		    sizeof(*table->file_of_module));
	hash_index_deinit(&table->frame_lookup);
	hash_index_deinit(&table->entry_lookup);
}

uint32_t report_frames_of(struct report_frames *table, uint64_t encoded)
{
	uint32_t hash = hash_bytes(table->strings->seed, &encoded, sizeof(encoded));
	struct hash_index_walk walk = hash_index_start(hash);
	struct report_frame frame = {.file = REPORT_NO_FILE};
	uint32_t index;

	while ((index = hash_index_next(&table->entry_lookup, &walk)) != HASH_INDEX_NONE)
		if (table->entries[index].encoded == encoded)
			return table->entries[index].frame;
	if (describe(table, encoded, &frame) || unite(table, &frame, &index))
		return overflow_frame(table);
	/* Without this entry the frame is described again: that costs time only. */
	(void)remember(table, encoded, hash, index);
	return index;
}
