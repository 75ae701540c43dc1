/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table - the places of a report, each once, and their names
 */

#include "symbolizer/names/name_table.h"

#define FILE_SHIFT 40

void name_table_init(struct name_table *names, struct strings *strings, struct symbol_store *store)
{
	*names = (struct name_table){
		.strings = strings,
		.store = store,
		.lookup.budget = strings->budget,
	};
	jit_names_init(&names->jit, strings->budget, store);
}

void name_table_clear(struct name_table *names)
{
	struct budget *budget = names->strings->budget;

	for (uint32_t i = 0; i < names->file_count; i++)
		symbol_store_unpin(names->store, &names->files[i].pin);
	hash_index_deinit(&names->lookup);
	budget_drop(budget, &names->places, &names->place_capacity, sizeof(*names->places));
	budget_drop(budget, &names->files, &names->file_capacity, sizeof(*names->files));
	budget_drop(budget, &names->calls, &names->call_capacity, sizeof(*names->calls));
	names->place_count = 0;
	names->file_count = 0;
	names->call_count = 0;
}

void name_table_deinit(struct name_table *names)
{
	name_table_clear(names);
	jit_names_deinit(&names->jit);
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

/* --- the set of places ------------------------------------------------------------------------ */

static uint32_t hash_of(const struct name_table *names, uint64_t key)
{
	return hash_bytes(names->strings->seed, &key, sizeof(key));
}

static uint32_t find(const struct name_table *names, uint64_t key, uint32_t hash)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&names->lookup, &walk)) != HASH_INDEX_NONE)
		if (names->places[index].key == key)
			break;
	return index;
}

/* Return: 0, BUDGET_E_SPENT. */
static int add_place(struct name_table *names, uint64_t key, uint32_t weight)
{
	uint32_t hash = hash_of(names, key), known = find(names, key, hash);

	if (known != HASH_INDEX_NONE) {
		names->places[known].weight += weight;
		return 0;
	}
	if (budget_grow(names->strings->budget, &names->places, &names->place_capacity,
			names->place_count + 1, sizeof(*names->places)) ||
	    hash_index_add(&names->lookup, hash, names->place_count))
		return BUDGET_E_SPENT;
	names->places[names->place_count++] = (struct name_table_place){
		.key = key,
		.name = NAME_TABLE_NONE,
		.weight = weight,
		.reason = TM_UNNAMED_PENDING,
		.no_line = TM_NO_LINE_N,
	};
	return 0;
}

int name_table_collect(struct name_table *names, const struct aggregate *aggregate)
{
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];

		for (uint32_t f = 0; f < stack->count; f++) {
			uint64_t kind = stack->frames[f] >> TM_FRAME_KIND_SHIFT;

			if ((kind == TM_FRAME_FILE || kind == TM_FRAME_VDSO) &&
			    add_place(names, name_table_key(stack->frames[f]), stack->weight))
				return BUDGET_E_SPENT;
		}
	}
	return 0;
}

const struct name_table_place *name_table_find(const struct name_table *names, uint64_t key)
{
	uint32_t index = find(names, key, hash_of(names, key));

	return index == HASH_INDEX_NONE ? NULL : &names->places[index];
}

enum tm_unnamed name_table_reason(const struct name_table *names, uint64_t word, uint32_t process)
{
	const struct name_table_place *place;
	struct jit_name name;

	switch (word >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_VDSO:
		place = name_table_find(names, name_table_key(word));
		return place && place->name == NAME_TABLE_NONE ? place->reason : TM_UNNAMED_MEMORY;
	case TM_FRAME_ANON:
		name = jit_names_find(&names->jit, process, word);
		return name.text ? TM_UNNAMED_MEMORY : name.reason;
	case TM_FRAME_KERNEL:
		return TM_UNNAMED_KERNEL;
	case TM_FRAME_METHOD:
		return TM_UNNAMED_NO_METHOD;
	default:
		return TM_UNNAMED_NO_MAPPING;
	}
}
