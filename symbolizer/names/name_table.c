/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table - the sampled file offsets and their names
 */

#include "symbolizer/names/name_table.h"

#include <stdlib.h>

#define FILE_SHIFT 40

static int by_key(const void *left, const void *right)
{
	const struct name_table_place *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

static void sort_and_unite(struct name_table *names)
{
	uint32_t kept = 0;

	if (!names->place_count)
		return;
	qsort(names->places, names->place_count, sizeof(*names->places), by_key);
	for (uint32_t i = 1; i < names->place_count; i++)
		if (names->places[i].key != names->places[kept].key)
			names->places[++kept] = names->places[i];
	names->place_count = kept + 1;
}

static int add_place(struct name_table *names, uint64_t key)
{
	if (budget_grow(names->strings->budget, &names->places, &names->place_capacity,
			names->place_count + 1, sizeof(*names->places)))
		return BUDGET_E_SPENT;
	names->places[names->place_count++] =
		(struct name_table_place){.key = key, .name = NAME_TABLE_NONE};
	return 0;
}

static int split_by_file(struct name_table *names)
{
	struct name_table_file *file = NULL;

	for (uint32_t i = 0; i < names->place_count; i++) {
		uint32_t of = (uint32_t)(names->places[i].key >> FILE_SHIFT);

		if (!file || file->file != of) {
			if (budget_grow(names->strings->budget, &names->files,
					&names->file_capacity, names->file_count + 1,
					sizeof(*names->files)))
				return BUDGET_E_SPENT;
			file = &names->files[names->file_count++];
			*file = (struct name_table_file){.file = of, .first = i};
		}
		file->count++;
	}
	return 0;
}

static bool is_wanted(const struct name_table *names, const struct files *files, uint64_t word)
{
	uint64_t kind = word >> TM_FRAME_KIND_SHIFT;
	uint32_t file = (word >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;

	if (names->pending_only)
		return kind == TM_FRAME_FILE && files_is_pending(&files->items[file]);
	return kind == TM_FRAME_FILE || kind == TM_FRAME_VDSO;
}

void name_table_init(struct name_table *names, struct strings *strings,
		     struct parser_client *parser)
{
	*names = (struct name_table){.strings = strings, .parser = parser};
}

void name_table_deinit(struct name_table *names)
{
	budget_drop(names->strings->budget, &names->places, &names->place_capacity,
		    sizeof(*names->places));
	budget_drop(names->strings->budget, &names->files, &names->file_capacity,
		    sizeof(*names->files));
	names->place_count = 0;
	names->file_count = 0;
}

uint64_t name_table_key(uint64_t word)
{
	uint64_t file = (word >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;
	uint64_t offset = word & TM_FRAME_OFFSET_MAX;

	if (word >> TM_FRAME_KIND_SHIFT == TM_FRAME_VDSO)
		file = NAME_TABLE_VDSO;
	/* A return address may be the first byte of the next function; the call is before it. */
	if (word & TM_FRAME_RETURN && offset)
		offset--;
	return file << FILE_SHIFT | offset;
}

int name_table_collect(struct name_table *names, const struct aggregate *aggregate)
{
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];

		for (uint32_t f = 0; f < stack->count; f++) {
			if (!is_wanted(names, aggregate->files, stack->frames[f]))
				continue;
			/* Half of the array may be copies: unite them before it grows. */
			if (names->place_count == names->place_capacity && names->place_count)
				sort_and_unite(names);
			if (add_place(names, name_table_key(stack->frames[f])))
				return BUDGET_E_SPENT;
		}
	}
	sort_and_unite(names);
	return split_by_file(names);
}

const struct name_table_place *name_table_find(const struct name_table *names, uint64_t key)
{
	struct name_table_place wanted = {.key = key};

	if (!names->place_count)
		return NULL;
	return bsearch(&wanted, names->places, names->place_count, sizeof(wanted), by_key);
}
