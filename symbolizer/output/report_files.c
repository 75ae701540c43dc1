/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_files - the files of the report and their executable segments
 */

#include "symbolizer/output/report_files.h"

#include "shared/search.h"

static bool is_at_or_behind(const void *list, uint32_t at, uint64_t index)
{
	const struct name_table_file *parsed = list;

	return parsed[at].file >= index;
}

static const struct name_table_file *parsed_file(const struct name_table *names, uint32_t index)
{
	uint32_t at = search_first(names->files, names->file_count, index, is_at_or_behind);

	return at < names->file_count && names->files[at].file == index ? &names->files[at] : NULL;
}

/* The executable ones of its symbol table, if there is one: they ascend by offset, disjoint. */
static int add_segments(struct report_files *files, struct report_file *file,
			const struct symbol_table *table)
{
	uint32_t count = table->header ? table->header->segment_count : 0;

	file->first_segment = files->segment_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct parser_segment *segment = &table->segments[i];

		if (!(segment->flags & SYMBOL_TABLE_EXECUTABLE))
			continue;
		if (budget_grow(files->strings->budget, &files->segments, &files->segment_capacity,
				files->segment_count + 1, sizeof(*files->segments))) {
			files->segment_count = file->first_segment;
			return BUDGET_E_SPENT;
		}
		files->segments[files->segment_count++] = (struct report_segment){
			.vaddr = segment->vaddr,
			.bytes = segment->bytes,
			.offset = segment->offset,
		};
	}
	file->segment_count = files->segment_count - file->first_segment;
	return 0;
}

/* @parsed: NULL: nothing is known of it. */
static int add_file(struct report_files *files, struct report_file *file,
		    const struct name_table_file *parsed, uint32_t *slot)
{
	if (budget_grow(files->strings->budget, &files->items, &files->capacity, files->count + 1,
			sizeof(*files->items)))
		return BUDGET_E_SPENT;
	if (parsed) {
		file->build_id = parsed->build_id;
		file->go_build_id = parsed->go_build_id;
		file->htlhash = parsed->htlhash;
		file->is_go = parsed->is_go;
		file->has_symbols = parsed->has_symbols;
		if (add_segments(files, file, &parsed->pin.table))
			return BUDGET_E_SPENT;
	}
	files->items[files->count++] = *file;
	*slot = files->count;
	return 0;
}

void report_files_deinit(struct report_files *files)
{
	struct budget *budget = files->strings->budget;

	budget_drop(budget, &files->items, &files->capacity, sizeof(*files->items));
	budget_drop(budget, &files->segments, &files->segment_capacity, sizeof(*files->segments));
	budget_drop(budget, &files->of_index, &files->index_capacity, sizeof(*files->of_index));
	budget_drop(budget, &files->of_module, &files->module_capacity, sizeof(*files->of_module));
}

int report_files_of_index(struct report_files *files, uint32_t index, uint32_t *ret_file)
{
	const struct file *source = &files->source->items[index];
	struct report_file file = {
		.path = source->path,
		.base = source->base,
		.deleted = source->deleted,
		.no_file = source->reason,
		.unopened = !source->opened,
	};

	*ret_file = REPORT_NO_FILE;
	if (!source->announced)
		return 0;
	if (budget_grow(files->strings->budget, &files->of_index, &files->index_capacity, index + 1,
			sizeof(*files->of_index)))
		return BUDGET_E_SPENT;
	if (!files->of_index[index] &&
	    add_file(files, &file, parsed_file(files->names, index), &files->of_index[index]))
		return BUDGET_E_SPENT;
	*ret_file = files->of_index[index] - 1;
	return 0;
}

int report_files_of_vdso(struct report_files *files, uint32_t *ret_file)
{
	struct report_file file = {0};

	if (!files->vdso) {
		if (strings_add(files->strings, "[vdso]", 6, &file.path))
			return BUDGET_E_SPENT;
		file.base = file.path;
		if (add_file(files, &file, parsed_file(files->names, NAME_TABLE_VDSO),
			     &files->vdso))
			return BUDGET_E_SPENT;
	}
	*ret_file = files->vdso - 1;
	return 0;
}

int report_files_of_module(struct report_files *files, uint32_t module, uint32_t *ret_file)
{
	const char *name = ksyms_module(files->kernel, module);
	struct report_file file = {.is_kernel = true, .has_symbols = name != NULL};
	uint32_t *slot;

	if (budget_grow(files->strings->budget, &files->of_module, &files->module_capacity,
			module + 1, sizeof(*files->of_module)))
		return BUDGET_E_SPENT;
	slot = &files->of_module[module];
	if (!*slot) {
		/* Module 0 is the kernel itself. */
		if (strings_format(files->strings, &file.path, "[%s]",
				   name && module ? name : "kernel"))
			return BUDGET_E_SPENT;
		file.base = file.path;
		if (add_file(files, &file, /* parsed= */ NULL, slot))
			return BUDGET_E_SPENT;
	}
	*ret_file = *slot - 1;
	return 0;
}

static bool is_behind(const void *list, uint32_t at, uint64_t offset)
{
	const struct report_segment *segments = list;

	return segments[at].offset > offset;
}

uint32_t report_files_segment(const struct report_files *files, uint32_t file, uint64_t offset)
{
	const struct report_file *of = &files->items[file];
	const struct report_segment *segments;
	uint32_t at;

	if (!of->segment_count)
		return REPORT_NO_SEGMENT;
	segments = &files->segments[of->first_segment];
	at = search_last(segments, of->segment_count, offset, is_behind);
	if (offset < segments[at].offset || offset - segments[at].offset >= segments[at].bytes)
		return REPORT_NO_SEGMENT;
	return of->first_segment + at;
}
