/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_debug_files - what is asked for, and which debug file's symbols are believed
 */

#include "tests/unit/symbolizer/debug_files_fixture.h"

static void symbols_of_the_debug_file_lie_above_those_of_the_file(void **state)
{
	const struct symbols file = stripped(), made = debug_of(&file);
	struct tm_wire answer;

	put_file(&file);
	assert_true(reports_wait());
	round_of_debug();
	answer = build_id_is_asked();
	is_opened(&answer);
	round_of_debug();
	is_parsed(&made, false);
	round_of_debug();
	assert_false(reports_wait());
	assert_string_equal(debug_name(0x10010), "last");
	assert_int_equal(debug.found, 1);
	assert_int_equal(recording.store.pinned, 0);
	nothing_is_sent();
}

static void missing_debug_file_is_asked_for_again_after_its_pause(void **state)
{
	const struct symbols file = stripped();

	put_file(&file);
	round_of_debug();
	is_missing(build_id_is_asked());
	round_of_debug();
	assert_true(reports_wait());
	is_missing(asked(TM_DEBUG_LINK, "main", 4));
	assert_false(reports_wait());
	round_of_debug();
	nothing_is_sent();
	for (int doublings = 0; doublings <= SYMBOL_DEBUG_DOUBLINGS + 1; doublings++) {
		int64_t pause_ms = (int64_t)SYMBOL_DEBUG_PAUSE_MS
				   << (doublings < SYMBOL_DEBUG_DOUBLINGS ? doublings
									  : SYMBOL_DEBUG_DOUBLINGS);
		int64_t wait_ms =
			recording.store.entries[0].debug_retry_ms - (int64_t)tm_clock_ms();

		assert_true(wait_ms > pause_ms / 2 && wait_ms <= pause_ms);
		recording.store.entries[0].debug_retry_ms = 0; /* time passes */
		debug.scanned_ms = 0;
		recording.files.items[0].seen_ktime = tm_clock_ns();
		round_of_debug();
		is_missing(build_id_is_asked());
		assert_false(reports_wait());
		round_of_debug();
		is_missing(asked(TM_DEBUG_LINK, "main", 4));
	}
}

static void file_that_is_not_used_any_more_is_not_asked_for_again(void **state)
{
	const struct symbols file = stripped();

	put_file(&file);
	round_of_debug();
	is_missing(build_id_is_asked());
	round_of_debug();
	is_missing(asked(TM_DEBUG_LINK, "main", 4));
	recording.store.entries[0].debug_retry_ms = 0;
	debug.scanned_ms = 0;
	recording.files.items[0].seen_ktime = 0;
	round_of_debug();
	nothing_is_sent();
}

static void debug_file_of_another_build_id_is_not_used(void **state)
{
	const struct symbols file = stripped();
	struct symbols made = debug_of(&file);
	struct tm_wire answer;

	made.header.build_id[7] = 1;
	put_file(&file);
	round_of_debug();
	answer = build_id_is_asked();
	is_opened(&answer);
	round_of_debug();
	is_parsed(&made, false);
	round_of_debug();
	assert_int_equal(debug.refused, 1);
	assert_string_equal(debug_name(0x10010), "");
	(void)asked(TM_DEBUG_LINK, "main", 4);
}

/* What a debug file found by its link must have. */
static void expect_link(bool has_crc, uint32_t crc, uint8_t build_id, bool used)
{
	struct symbols file = stripped(), made = debug_of(&file);
	struct tm_wire answer;

	made.header.has_crc = has_crc;
	made.header.crc = crc;
	made.header.build_id[0] = build_id;
	put_file(&file);
	round_of_debug();
	is_missing(build_id_is_asked());
	round_of_debug();
	answer = asked(TM_DEBUG_LINK, "main", 4);
	is_opened(&answer);
	round_of_debug();
	is_parsed(&made, true);
	round_of_debug();
	assert_int_equal(debug.found, used);
	assert_string_equal(debug_name(0x10010), used ? "last" : "");
	assert_false(reports_wait());
}

static void link_with_its_crc_is_used(void **state)
{
	expect_link(true, CRC, 0xab, true);
}
static void link_with_another_crc_is_not_used(void **state)
{
	expect_link(true, CRC + 1, 0xab, false);
}
static void link_without_a_crc_is_not_used(void **state)
{
	expect_link(false, CRC, 0xab, false);
}
static void link_to_a_file_of_another_build_id_is_not_used(void **state)
{
	expect_link(true, CRC, 0xac, false);
}

static void nothing_is_asked_for(const struct symbols *made)
{
	put_file(made);
	round_of_debug();
	nothing_is_sent();
	assert_false(reports_wait());
}

static void file_with_a_symtab_is_not_asked_for(void **state)
{
	struct symbols made = stripped();

	made.header.flags |= PARSER_SYMBOLS_HAS_SYMTAB;
	nothing_is_asked_for(&made);
}

/* The collector would close the wire for it. */
static void link_that_is_more_than_one_component_is_never_sent(void **state)
{
	struct symbols made = stripped();

	made.header.build_id_bytes = 2; /* too short to be one */
	memcpy(made.names, "\0../a\0..\0", 9);
	nothing_is_asked_for(&made);
}

static void only_so_much_is_asked_for_at_once(void **state)
{
	const struct symbols file = stripped();

	put_file(&file);
	for (unsigned i = 1; i < TM_PATHS_IN_FLIGHT; i++)
		assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_OWN), 0);
	round_of_debug();
	assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_OWN), DEBUG_FILES_E_LATER);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		(void)build_id_is_asked();
	nothing_is_sent();
}

static void descriptor_is_handed_over_for_lines(void **state)
{
	const struct symbols file = stripped();
	struct tm_wire answer;

	assert_int_equal(symbol_store_begin(&recording.store, &identity, 0), 0);
	assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_OWN), DEBUG_FILES_E_NONE);
	symbol_store_put(&recording.store, &identity, seal(&file), 0);
	assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_OWN), 0);
	round_of_debug();
	answer = build_id_is_asked();
	is_opened(&answer);
	assert_int_equal(handed.count, 1);
	assert_true(handed.fd >= 0);
	is_opened(&answer); /* nobody waits for it any more */
	assert_int_equal(handed.count, 1);
	no_request();
}

static void alternative_file_is_asked_for_by_build_id_and_then_by_the_name_of_its_path(void **state)
{
	struct symbols file = stripped();

	memcpy(file.names, "\0dwz/help", 10);
	file.header.altlink = 1;
	file.header.debuglink = PARSER_NO_NAME;
	file.header.altlink_build_id_bytes = 4;
	memcpy(file.header.altlink_build_id, "\1\2\3\4", 4);
	assert_int_equal(symbol_store_begin(&recording.store, &identity, 0), 0);
	symbol_store_put(&recording.store, &identity, seal(&file), 0);
	assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_ALT), 0);
	round_of_debug();
	is_missing(asked(TM_DEBUG_BUILD_ID, "\1\2\3\4", 4));
	round_of_debug();
	is_missing(asked(TM_DEBUG_ALT, "help", 4));
	assert_int_equal(handed.count, 1);
	assert_int_equal(handed.fd, -1);
	assert_int_equal(handed.reason, TM_NO_FILE_GONE);
}

static void nobody_waits_for_a_collector_that_is_gone(void **state)
{
	const struct symbols file = stripped();

	put_file(&file);
	round_of_debug();
	(void)build_id_is_asked();
	debug_files_round(&debug, /* serves= */ false);
	assert_false(reports_wait());
}

static void debug_files_that_are_not_wanted_are_not_asked_for(void **state)
{
	const struct symbols file = stripped();

	recording.store.wants_debug = false;
	debug_files_init(&debug, &recording.files, &recording.store, &client, wire[0], false);
	assert_int_equal(debug_files_request(&debug, 0, DEBUG_FILES_OWN), DEBUG_FILES_E_NONE);
	nothing_is_asked_for(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(symbols_of_the_debug_file_lie_above_those_of_the_file),
		CASE(missing_debug_file_is_asked_for_again_after_its_pause),
		CASE(file_that_is_not_used_any_more_is_not_asked_for_again),
		CASE(debug_file_of_another_build_id_is_not_used),
		CASE(link_with_its_crc_is_used),
		CASE(link_with_another_crc_is_not_used),
		CASE(link_without_a_crc_is_not_used),
		CASE(link_to_a_file_of_another_build_id_is_not_used),
		CASE(file_with_a_symtab_is_not_asked_for),
		CASE(link_that_is_more_than_one_component_is_never_sent),
		CASE(only_so_much_is_asked_for_at_once),
		CASE(descriptor_is_handed_over_for_lines),
		CASE(alternative_file_is_asked_for_by_build_id_and_then_by_the_name_of_its_path),
		CASE(nobody_waits_for_a_collector_that_is_gone),
		CASE(debug_files_that_are_not_wanted_are_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
