/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_cache - symbols that are kept of a file, and addresses that must still be requested
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/name_table.h"
#include "symbolizer/names/symbol_cache.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct name_table names;
static struct parser_client client = PARSER_CLIENT_NULL;
static struct name_table_file *file;

static int make_recording(void **state)
{
	return recording_make(&recording);
}

static int end_recording(void **state)
{
	return recording_end(&recording);
}

static void collect(const uint64_t *offsets, uint16_t count)
{
	static union make_record record;
	uint64_t words[8];

	for (uint16_t i = 0; i < count; i++)
		words[i] = FILE_WORD(1, offsets[i]);
	make_sample(&record, 1, 42, "c", words, 0, count);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	name_table_init(&names, &recording.strings, &client);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	assert_int_equal(names.file_count, 1);
	file = &names.files[0];
}

/* Answers like the parser: a name for each address except the last. */
static void answer(const char *build_id)
{
	size_t length = strlen(build_id);

	for (uint32_t i = 0; i < file->count; i++) {
		struct name_table_place *place = &names.places[file->first + i];

		if (place->known)
			continue;
		place->known = 1;
		place->has_vaddr = 1;
		place->vaddr = (place->key & TM_FRAME_OFFSET_MAX) + 0x1000;
		if (i + 1 < file->count)
			assert_int_equal(
				strings_format(&recording.strings, &place->name, "f%u", i / 2), 0);
	}
	assert_int_equal(strings_add(&recording.strings, build_id, length, &file->build_id), 0);
	file->vaddr = 0x1000;
	file->bytes = 0x500;
	file->has_symbols = 1;
}

static void forget(void)
{
	name_table_deinit(&names);
	assert_int_equal(recording_forget(&recording), 0);
}

static const char *name_of(uint32_t place)
{
	uint32_t name = names.places[place].name;

	return name == NAME_TABLE_NONE ? NULL : recording_text(&recording, name);
}

static void kept_symbols_are_not_requested_again_and_outlive_the_strings(void **state)
{
	const uint64_t offsets[] = {0x10, 0x20, 0x30, 0x40};
	struct budget *budget = &recording.symbols.budget;
	struct symbol_cache *symbols;

	collect(offsets, 4);
	assert_int_equal(symbol_cache_recall(NULL, &names, file), 4);
	answer("cafe");
	symbols = symbol_cache_unite(NULL, &names, file, budget);
	assert_non_null(symbols);
	forget();

	collect(offsets, 4);
	assert_int_equal(symbol_cache_recall(symbols, &names, file), 0);
	assert_string_equal(name_of(0), "f0");
	assert_string_equal(name_of(1), "f0");
	assert_string_equal(name_of(2), "f1");
	assert_null(name_of(3)); /* answered: it has none */
	assert_true(names.places[3].known && names.places[3].has_vaddr);
	assert_int_equal(names.places[2].vaddr, 0x1030);
	assert_string_equal(recording_text(&recording, file->build_id), "cafe");
	assert_int_equal(file->bytes, 0x500);
	assert_true(file->has_symbols);
	symbol_cache_free(symbols, budget);
	assert_int_equal(budget->used, 0);
	name_table_deinit(&names);
}

static void only_new_addresses_are_requested_and_join_the_old(void **state)
{
	const uint64_t first[] = {0x20, 0x40}, second[] = {0x10, 0x20, 0x30, 0x50};
	const uint64_t all[] = {0x10, 0x20, 0x30, 0x40, 0x50};
	struct budget *budget = &recording.symbols.budget;
	struct symbol_cache *old, *united;

	collect(first, 2);
	answer("");
	old = symbol_cache_unite(NULL, &names, file, budget);
	assert_non_null(old);
	forget();
	collect(second, 4);
	assert_int_equal(symbol_cache_recall(old, &names, file), 3);
	assert_true(names.places[1].known);
	answer("");
	united = symbol_cache_unite(old, &names, file, budget);
	assert_non_null(united);
	symbol_cache_free(old, budget);
	forget();
	collect(all, 5);
	assert_int_equal(symbol_cache_recall(united, &names, file), 0);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(names.places[i].vaddr, all[i] + 0x1000);
	symbol_cache_free(united, budget);
	assert_int_equal(budget->used, 0);
	name_table_deinit(&names);
}

static void exhausted_budget_keeps_nothing_new(void **state)
{
	const uint64_t offsets[] = {0x10, 0x20};
	struct budget *budget = &recording.symbols.budget;

	collect(offsets, 2);
	answer("cafe");
	budget->limit = 64;
	assert_null(symbol_cache_unite(NULL, &names, file, budget));
	assert_int_equal(budget->used, 0);
	name_table_deinit(&names);
}

#define with_world(test) cmocka_unit_test_setup_teardown(test, make_recording, end_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_world(kept_symbols_are_not_requested_again_and_outlive_the_strings),
		with_world(only_new_addresses_are_requested_and_join_the_old),
		with_world(exhausted_budget_keeps_nothing_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
