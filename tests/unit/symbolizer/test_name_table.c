/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_name_table - the places of a report, their names, and the reasons for having none
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>

#include "symbolizer/names/name_table.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/recording.h"

static struct recording recording;
static struct name_table names;
static union make_record record;

static int begin(void **state)
{
	return recording_make(&recording);
}

static int end(void **state)
{
	name_table_deinit(&names);
	assert_int_equal(recording.store.pinned, 0);
	return recording_end(&recording);
}

/* Number and inode are the same. */
static struct tm_identity announce(uint32_t number)
{
	make_file(&record, number, number, "x\0", 2);
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	return record.file.identity;
}

static struct tm_identity open_file(uint32_t number)
{
	struct tm_identity identity = announce(number);

	files_opened(&recording.files, number, 0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	return identity;
}

static void put(const struct tm_identity *identity, const struct symbols *symbols)
{
	assert_int_equal(symbol_store_begin(&recording.store, identity, 0), 0);
	symbol_store_put(&recording.store, identity,
			 tm_region_seal_blob("symbols", symbols, sizeof(*symbols)), 0);
}

static void sample(const uint64_t *words, uint16_t count)
{
	make_sample(&record, 1, 42, "c", words, 0, count);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static void resolve(void)
{
	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
}

/* @word: with the index of the file, in place of its number. */
static const struct name_table_place *place_of(uint64_t word)
{
	const struct name_table_place *place = name_table_find(&names, name_table_key(word));

	assert_non_null(place);
	return place;
}

static void named(uint64_t word, const char *name)
{
	assert_int_not_equal(place_of(word)->name, NAME_TABLE_NONE);
	assert_string_equal(recording_text(&recording, place_of(word)->name), name);
}

static void unnamed(uint64_t word, enum tm_unnamed reason)
{
	assert_int_equal(place_of(word)->name, NAME_TABLE_NONE);
	assert_int_equal(name_table_reason(&names, word, AGGREGATE_NO_PROCESS), reason);
}

static void places_are_distinct_and_calls_not_returns(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x20), FILE_WORD(1, 0x11) | TM_FRAME_RETURN,
			    FILE_WORD(1, 0x10), ANON_WORD(3)};

	sample(words, 4);
	resolve();
	assert_int_equal(names.place_count, 2);
	assert_int_equal(names.file_count, 1);
	assert_ptr_equal(place_of(FILE_WORD(0, 0x11) | TM_FRAME_RETURN),
			 place_of(FILE_WORD(0, 0x10)));
	assert_null(name_table_find(&names, name_table_key(FILE_WORD(0, 0x12))));
	assert_int_not_equal(name_table_key(VDSO_WORD(0x10)), name_table_key(FILE_WORD(0, 0x10)));
}

static void places_get_the_names_of_their_own_file(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x10), FILE_WORD(2, 0x10), FILE_WORD(1, 0x1f),
			    FILE_WORD(1, 0x20), VDSO_WORD(0x10),    FILE_WORD(2, 0x2000)};
	const struct tm_identity first = open_file(1), second = open_file(2);
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	struct symbols symbols = make_symbols();

	put(&first, &symbols);
	memcpy(symbols.names + 1, "same", 4);
	symbols.header.build_id[0] = 0xcd;
	symbols.header.go_build_id = 6;
	symbols.header.has_htlhash = 1;
	memset(symbols.header.htlhash, 0xa5, sizeof(symbols.header.htlhash));
	symbols.header.flags |= PARSER_SYMBOLS_HAS_PCLNTAB;
	put(&second, &symbols);
	memcpy(symbols.names + 1, "time", 4);
	put(&vdso, &symbols);
	sample(words, 6);
	resolve();
	named(FILE_WORD(0, 0x10), "main");
	named(FILE_WORD(0, 0x1f), "main");
	named(FILE_WORD(0, 0x20), "help");
	named(FILE_WORD(1, 0x10), "same");
	named(FILE_WORD(1, 0x2000), "last");
	named(VDSO_WORD(0x10), "time");
	assert_int_equal(place_of(FILE_WORD(1, 0x2000))->vaddr, 0x42000);
	assert_int_equal(names.file_count, 3);
	assert_string_equal(recording_text(&recording, names.files[0].build_id), "ab01");
	assert_string_equal(recording_text(&recording, names.files[1].build_id), "cd01");
	assert_string_equal(recording_text(&recording, names.files[0].htlhash), "");
	assert_string_equal(recording_text(&recording, names.files[1].htlhash),
			    "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5");
	assert_string_equal(recording_text(&recording, names.files[0].go_build_id), "");
	assert_string_equal(recording_text(&recording, names.files[1].go_build_id), "help");
	assert_false(names.files[0].is_go);
	assert_true(names.files[1].is_go);
	assert_int_equal(names.files[0].pin.table.segments[0].vaddr, 0x10000);
	assert_int_equal(names.files[2].file, NAME_TABLE_VDSO);
	assert_int_equal(names.failed, 0);
	assert_int_equal(recording.store.pinned, 3);
}

static void every_place_without_a_name_has_its_reason(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x30), FILE_WORD(1, 0x1800), FILE_WORD(2, 0x10),
			    FILE_WORD(3, 0x10), FILE_WORD(4, 0x10),   FILE_WORD(5, 0x10),
			    FILE_WORD(6, 0x10)};
	const struct tm_identity found = open_file(1), stripped = open_file(2);
	const struct tm_identity refused = open_file(3), failed = open_file(4);
	struct symbols symbols = make_symbols();

	(void)open_file(5);
	(void)announce(6);
	put(&found, &symbols);
	symbols.header.symbol_count = 0;
	symbols.header.name_bytes = 0;
	put(&stripped, &symbols);
	assert_int_equal(symbol_store_begin(&recording.store, &refused, 0), 0);
	symbol_store_refuse(&recording.store, &refused, TM_UNNAMED_CHANGED);
	assert_int_equal(symbol_store_begin(&recording.store, &failed, 0), 0);
	symbol_store_fail(&recording.store, &failed, TM_UNNAMED_NOT_PARSED, 0);
	sample(words, 7);
	resolve();
	unnamed(FILE_WORD(0, 0x30), TM_UNNAMED_NO_SYMBOL);
	unnamed(FILE_WORD(0, 0x1800), TM_UNNAMED_NO_SYMBOL);
	assert_true(place_of(FILE_WORD(0, 0x30))->has_vaddr);
	assert_false(place_of(FILE_WORD(0, 0x1800))->has_vaddr);
	unnamed(FILE_WORD(1, 0x10), TM_UNNAMED_NO_SYMBOLS);
	unnamed(FILE_WORD(2, 0x10), TM_UNNAMED_CHANGED);
	unnamed(FILE_WORD(3, 0x10), TM_UNNAMED_NOT_PARSED);
	unnamed(FILE_WORD(4, 0x10), TM_UNNAMED_PENDING);
	unnamed(FILE_WORD(5, 0x10), TM_UNNAMED_NOT_OPENED);
	assert_int_equal(name_table_reason(&names, FILE_WORD(9, 1), AGGREGATE_NO_PROCESS),
			 TM_UNNAMED_MEMORY);
	assert_int_equal(names.failed, 2); /* one failed, one had not come */
}

static void spent_budget_leaves_the_rest_unnamed(void **state)
{
	const struct tm_identity identity = open_file(1);
	const struct symbols symbols = make_symbols();

	put(&identity, &symbols);
	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t words[] = {FILE_WORD(1, 0x10 + i)};

		sample(words, 1);
	}
	recording.budget.limit = recording.budget.used + (64u << 10);
	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), BUDGET_E_SPENT);
	recording.budget.limit += 64u << 10;
	name_table_resolve(&names, &recording.files);
	assert_in_range(names.place_count, 1, 3999);
	named(FILE_WORD(0, 0x10), "main");
	assert_int_equal(name_table_reason(&names, FILE_WORD(0, 0x10 + 3999), AGGREGATE_NO_PROCESS),
			 TM_UNNAMED_MEMORY);
}

/* The table of every name goes with its report; the symbols stay. */
static void names_of_a_later_report_need_no_file(void **state)
{
	uint64_t words[] = {FILE_WORD(1, 0x10)};
	const struct tm_identity identity = open_file(1);
	const struct symbols symbols = make_symbols();

	put(&identity, &symbols);
	files_close(&recording.files, 0);
	for (int i = 0; i < 3; i++) {
		sample(words, 1);
		resolve();
		named(FILE_WORD(0, 0x10), "main");
		name_table_deinit(&names);
		assert_int_equal(recording.store.pinned, 0);
		assert_int_equal(recording_forget(&recording), 0);
	}
	name_table_init(&names, &recording.strings, &recording.store);
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(places_are_distinct_and_calls_not_returns),
		of_its_own(places_get_the_names_of_their_own_file),
		of_its_own(every_place_without_a_name_has_its_reason),
		of_its_own(spent_budget_leaves_the_rest_unnamed),
		of_its_own(names_of_a_later_report_need_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
