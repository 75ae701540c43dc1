/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reused_numbers - file numbers and inodes used again, with other names at equal offsets
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/names/name_table.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/recording.h"

#define TRIALS        10000u
#define NUMBERS       8u
#define REPORT_TRIALS (2 * NUMBERS) /* so that each number is used twice within an interval */
#define OFFSET        0x10u

static struct recording recording;
static struct tm_identity identities[REPORT_TRIALS];
static union make_record record;
static unsigned stale;

static int begin(void **state)
{
	return recording_make(&recording);
}

static int end(void **state)
{
	return recording_end(&recording);
}

/* Every third file is the one before it, overwritten: only its times differ. */
static void announce(uint32_t trial, uint32_t number)
{
	make_file(&record, number, 1000 + trial - trial % 3 / 2, "x\0", 2);
	record.file.event.ktime = 10 * trial + 1;
	record.file.identity.mtime_nsec = trial % 3;
	identities[trial % REPORT_TRIALS] = record.file.identity;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
}

static void put_symbols(uint32_t trial)
{
	const struct tm_identity *identity = &identities[trial % REPORT_TRIALS];
	struct symbols symbols = make_symbols();

	(void)snprintf(symbols.names + 1, 5, "%04x", trial);
	assert_int_equal(symbol_store_begin(&recording.store, identity, 0), 0);
	symbol_store_put(&recording.store, identity,
			 tm_region_seal_blob("symbols", &symbols, sizeof(symbols)), 0);
}

static void sample(uint32_t trial, uint32_t number)
{
	const uint64_t word = FILE_WORD(number, OFFSET);

	make_sample(&record, 10 * trial + 2, 42, "c", &word, 0, 1);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

/* The samples of each of the latest trials bear that trial's name. */
static void report(uint32_t last_trial)
{
	struct name_table names;

	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	assert_int_equal(names.place_count, REPORT_TRIALS);
	for (uint32_t i = 0; i < REPORT_TRIALS; i++) {
		uint32_t file = files_of_identity(&recording.files, &identities[i]);
		const struct name_table_place *place =
			name_table_find(&names, name_table_key(FILE_WORD(file, OFFSET)));
		char name[8];

		(void)snprintf(name, sizeof(name), "%04x", last_trial + 1 - REPORT_TRIALS + i);
		assert_non_null(place);
		assert_int_not_equal(place->name, NAME_TABLE_NONE);
		stale += strcmp(recording_text(&recording, place->name), name) != 0;
	}
	name_table_deinit(&names);
	assert_int_equal(recording.store.pinned, 0);
	assert_int_equal(recording_forget(&recording), 0);
}

static void no_name_of_an_earlier_file_is_shown_in_ten_thousand_trials(void **state)
{
	for (uint32_t trial = 0; trial < TRIALS; trial++) {
		uint32_t number = 1 + trial % NUMBERS;

		if (trial >= NUMBERS)
			files_retire(&recording.files, number, 10 * trial);
		announce(trial, number);
		put_symbols(trial);
		sample(trial, number);
		if (trial % REPORT_TRIALS == REPORT_TRIALS - 1)
			report(trial);
	}
	assert_int_equal(stale, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			no_name_of_an_earlier_file_is_shown_in_ten_thousand_trials, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
