/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_line_names - places of a report get their calls and lines, or a reason why they have none
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/clock.h"
#include "symbolizer/names/line_names.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_lines.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/recording.h"

#define FILES 2

static struct recording recording;
static struct name_table names;
static struct line_requests requests;
static struct line_names lines;
static union make_record record;
static struct tm_identity identities[FILES];

/* Of two files, the first has debug information; each is sampled at 0x10 and 0x20. */
static int begin(void **state)
{
	uint64_t words[2 * FILES];

	assert_int_equal(recording_make(&recording), 0);
	for (uint32_t i = 0; i < FILES; i++) {
		struct symbols symbols = make_symbols();

		make_file(&record, i + 1, i + 11, "x\0", 2);
		assert_int_equal(files_announce(&recording.files, &record.file), 0);
		identities[i] = record.file.identity;
		symbols.header.flags |= i ? 0 : PARSER_SYMBOLS_HAS_DWARF;
		symbols.header.build_id_bytes = i ? 0 : 2;
		assert_int_equal(symbol_store_begin(&recording.store, &identities[i], 0), 0);
		symbol_store_put(&recording.store, &identities[i],
				 tm_region_seal_blob("symbols", &symbols, sizeof(symbols)), 0);
		words[2 * i] = FILE_WORD(i + 1, 0x10);
		words[2 * i + 1] = FILE_WORD(i + 1, 0x20);
	}
	make_sample(&record, 1, 42, "c", words, 0, 2 * FILES);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(line_requests_init(&requests, NULL), 0);
	line_names_init(&lines, &requests, &recording.seed);
	return 0;
}

static int end(void **state)
{
	name_table_deinit(&names);
	line_names_deinit(&lines);
	line_requests_deinit(&requests);
	return recording_end(&recording);
}

/* As for a report. */
static void resolve(void)
{
	name_table_deinit(&names);
	name_table_init(&names, &recording.strings, &recording.store);
	assert_int_equal(name_table_collect(&names, &recording.aggregate), 0);
	name_table_resolve(&names, &recording.files);
	line_names_resolve(&lines, &names, &recording.files, 0);
}

static const struct name_table_place *place_at(uint32_t file, uint64_t offset)
{
	uint32_t index = files_of_identity(&recording.files, &identities[file]);
	const struct name_table_place *place =
		name_table_find(&names, FILE_WORD(index, offset) & ((1ull << 60) - 1));

	assert_non_null(place);
	return place;
}

static const char *text(uint32_t string)
{
	return recording.strings.items[string];
}

/* The parser answers what was asked for. */
static void answer(const void *blob, size_t bytes)
{
	static const uint64_t asked[] = {0x10010, 0x10020};
	struct line_requests_result due;

	/* Two samples are not worth it: the wait is over. */
	assert_int_equal(
		line_requests_take(&requests, (int64_t)tm_clock_ms() + LINE_REQUESTS_WAIT_MS, &due),
		0);
	assert_memory_equal(&due.identity, &identities[0], sizeof(due.identity));
	assert_int_equal(due.count, 2);
	assert_memory_equal(due.vaddrs, asked, sizeof(asked));
	line_requests_put(&requests, &identities[0], tm_region_seal_blob("lines", blob, bytes), 0);
}

static void calls_come_with_the_report_after_the_answer(void **state)
{
	const struct lines blob = make_lines();
	const struct name_table_place *place;

	resolve();
	assert_int_equal(requests.files.items[0].misses, 4); /* two places of two samples */
	assert_int_equal(place_at(0, 0x10)->no_line, TM_NO_LINE_PENDING);
	assert_int_equal(place_at(0, 0x10)->call_count, 0);
	assert_int_equal(place_at(1, 0x10)->no_line, TM_NO_LINE_NO_DEBUG_INFO);
	answer(&blob, sizeof(blob));
	resolve();
	place = place_at(0, 0x10);
	assert_int_equal(place->no_line, TM_NO_LINE_N);
	assert_int_equal(place->call_count, 2);
	assert_string_equal(text(names.calls[place->first_call].function), "inner");
	assert_string_equal(text(names.calls[place->first_call].path), "a.h");
	assert_int_equal(names.calls[place->first_call].line, 12);
	assert_string_equal(text(names.calls[place->first_call + 1].function), "outer1");
	assert_int_equal(place_at(0, 0x20)->no_line, TM_NO_LINE_NOT_COVERED);
	assert_int_equal(place_at(1, 0x20)->no_line, TM_NO_LINE_NO_DEBUG_INFO);
	resolve(); /* what is known is not asked for again */
	assert_int_equal(requests.files.places, 0);
	assert_int_equal(place_at(0, 0x10)->call_count, 2);
}

static void result_that_does_not_check_gives_no_line(void **state)
{
	struct lines blob = make_lines();

	blob.calls[0].function = 1000;
	resolve();
	answer(&blob, sizeof(blob));
	resolve();
	assert_int_equal(place_at(0, 0x10)->no_line, TM_NO_LINE_NOT_PARSED);
	assert_int_equal(place_at(0, 0x10)->call_count, 0);
}

static void result_of_a_file_with_another_build_id_gives_no_line(void **state)
{
	struct lines blob = make_lines();

	blob.header.build_id[1] ^= 1;
	resolve();
	answer(&blob, sizeof(blob));
	resolve();
	assert_int_equal(place_at(0, 0x10)->no_line, TM_NO_LINE_NOT_PARSED);
	assert_int_equal(place_at(0, 0x10)->call_count, 0);
}

#define of_its_own(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		of_its_own(calls_come_with_the_report_after_the_answer),
		of_its_own(result_that_does_not_check_gives_no_line),
		of_its_own(result_of_a_file_with_another_build_id_gives_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
