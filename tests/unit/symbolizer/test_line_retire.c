/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_line_retire - lines of a file that is no longer sampled are asked for before its number goes
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>

#include "shared/clock.h"
#include "shared/region.h"
#include "symbolizer/names/line_retire.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_symbols.h"
#include "tests/unit/symbolizer/recording.h"

#define NUMBER 1
#define SEEN   1000000000000ull

static struct recording recording;
static struct line_requests requests;
static struct line_retire retire;
static struct tm_identity identity;
static union make_record record;

static void count_sample(uint64_t ktime)
{
	const uint64_t words[] = {FILE_WORD(NUMBER, 0x18),
				  FILE_WORD(NUMBER, 0x2010) | TM_FRAME_RETURN,
				  FILE_WORD(NUMBER, 0x18), FILE_WORD(NUMBER, 0x9000)};

	make_sample(&record, ktime, 7, "x", words, 0, 4);
	assert_int_equal(aggregate_add(&recording.aggregate, &record.sample), 0);
}

static int begin_with(uint32_t flags)
{
	struct symbols symbols = make_symbols();

	symbols.header.flags = flags;
	assert_int_equal(recording_make(&recording), 0);
	assert_int_equal(line_requests_init(&requests, NULL), 0);
	make_file(&record, NUMBER, 7, "x\0", 2);
	record.event.ktime = SEEN;
	identity = record.file.identity;
	assert_int_equal(files_announce(&recording.files, &record.file), 0);
	files_opened(&recording.files, NUMBER, SEEN, open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	assert_int_equal(symbol_store_begin(&recording.store, &identity, 0), 0);
	symbol_store_put(&recording.store, &identity,
			 tm_region_seal_blob("symbols", &symbols, sizeof(symbols)), 0);
	retire = (struct line_retire){&recording.files, &recording.store, &requests, 0};
	count_sample(SEEN);
	return 0;
}

static int begin(void **state)
{
	return begin_with(PARSER_SYMBOLS_HAS_DWARF);
}

static int begin_stripped(void **state)
{
	return begin_with(0);
}

static int end(void **state)
{
	line_requests_deinit(&requests);
	return recording_end(&recording);
}

static void round_at(uint64_t now_ns)
{
	line_retire_round(&retire, &recording.aggregate, now_ns);
}

static void nothing_is_asked_for(void)
{
	assert_int_equal(line_requests_open(&requests), 0);
}

/* And takes it, as if it were read. */
static void both_places_are_asked_for(void)
{
	struct line_requests_result due;

	assert_int_equal(line_requests_take(&requests, (int64_t)tm_clock_ms(), &due), 0);
	assert_memory_equal(&due.identity, &identity, sizeof(identity));
	assert_int_equal(due.count, 2);
	assert_int_equal(due.vaddrs[0], 0x10018);
	assert_int_equal(due.vaddrs[1], 0x4200f); /* the call, not what it returns to */
	assert_int_equal(due.build_id.bytes, 2);
	line_requests_fail(&requests, &identity, TM_NO_LINE_NOT_PARSED, -LINE_REQUESTS_PAUSE_MAX);
}

static void file_that_is_named_no_more_is_asked_for_once(void **state)
{
	round_at(SEEN + LINE_RETIRE_QUIET_NS - 1);
	nothing_is_asked_for();
	round_at(SEEN + LINE_RETIRE_QUIET_NS + LINE_RETIRE_SCAN_NS);
	both_places_are_asked_for();
	round_at(SEEN + LINE_RETIRE_QUIET_NS + 2 * LINE_RETIRE_SCAN_NS);
	nothing_is_asked_for();
}

static void file_that_is_sampled_again_is_asked_for_again(void **state)
{
	const uint64_t later = SEEN + 2 * LINE_RETIRE_QUIET_NS;

	round_at(SEEN + LINE_RETIRE_QUIET_NS);
	both_places_are_asked_for();
	count_sample(later);
	round_at(later + LINE_RETIRE_SCAN_NS);
	nothing_is_asked_for();
	round_at(later + LINE_RETIRE_QUIET_NS);
	both_places_are_asked_for();
}

static void file_without_debug_information_is_not_asked_for(void **state)
{
	round_at(SEEN + LINE_RETIRE_QUIET_NS);
	nothing_is_asked_for();
	assert_int_equal(recording.files.items[0].lines_ktime, SEEN);
}

static void file_without_a_number_or_a_sample_is_not_asked_for(void **state)
{
	recording.files.items[0].sampled = false;
	round_at(SEEN + LINE_RETIRE_QUIET_NS);
	nothing_is_asked_for();
	recording.files.items[0].sampled = true;
	files_retire(&recording.files, NUMBER, SEEN + 1);
	round_at(SEEN + 2 * LINE_RETIRE_QUIET_NS);
	nothing_is_asked_for();
}

static void recording_without_lines_asks_for_none(void **state)
{
	line_requests_finish(&requests);
	round_at(SEEN + LINE_RETIRE_QUIET_NS);
	nothing_is_asked_for();
}

#define case_of(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(file_that_is_named_no_more_is_asked_for_once),
		case_of(file_that_is_sampled_again_is_asked_for_again),
		case_of(file_without_a_number_or_a_sample_is_not_asked_for),
		case_of(recording_without_lines_asks_for_none),
		cmocka_unit_test_setup_teardown(file_without_debug_information_is_not_asked_for,
						begin_stripped, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
