/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines - calls and lines of compiled programs in each form of debug information
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/dwarf/lines.h"
#include "tests/unit/parser/lines_query.h"

static void expect_call(uint32_t index, const char *function, uint32_t line, uint32_t start_line)
{
	const struct parser_call *call =
		&lines_query_checked.calls[lines_query_checked.places[0].first_call + index];
	const char *file;

	assert_int_not_equal(call->function, PARSER_NO_NAME);
	assert_string_equal(lines_query_checked.names + call->function, function);
	assert_int_not_equal(call->file, PARSER_NO_NAME);
	file = lines_query_checked.names + call->file;
	assert_true(file[0] == '/');
	assert_non_null(strstr(file, "tests/unit/parser/lines_program.c"));
	assert_int_equal(call->line, line);
	if (start_line)
		assert_int_equal(call->start_line, start_line);
}

static void expect_program(struct program *program, struct program *debug)
{
	assert_int_equal(
		lines_query_find(program, debug, lines_query_address(program, "place_inner")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.header->flags, PARSER_LINES_HAS_DWARF);
	assert_int_equal(lines_query_checked.places[0].call_count, 3);
	expect_call(0, "lines_inner", 1001, 0);
	expect_call(1, "lines_middle", 2001, 0);
	expect_call(2, "lines_outer", 3003, 3001);
	assert_int_equal(
		lines_query_find(program, debug, lines_query_address(program, "place_middle")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.places[0].call_count, 2);
	expect_call(0, "lines_middle", 2003, 0);
	expect_call(1, "lines_outer", 3003, 3001);
	assert_int_equal(
		lines_query_find(program, debug, lines_query_address(program, "place_outer")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.places[0].call_count, 1);
	expect_call(0, "lines_outer", 3005, 3001);
}

static void expect_form(const char *form)
{
	struct program program = lines_query_load(form);

	expect_program(&program, NULL);
	lines_query_unload(&program);
}

static void dwarf_4_and_5_are_read(void **state)
{
	expect_form("dwarf4");
	expect_form("dwarf5");
}

static void compressed_sections_are_inflated(void **state)
{
	struct program program;

	expect_form("zlib");
	expect_form("zlib_gnu");
	expect_form("zstd");
	program = lines_query_load("zlib");
	assert_true(lines_query_header(&program, ".debug_info")->sh_flags & SHF_COMPRESSED);
	lines_query_unload(&program);
	program = lines_query_load("zlib_gnu");
	assert_non_null(lines_query_header(&program, ".zdebug_info"));
	lines_query_unload(&program);
	program = lines_query_load("zstd");
	assert_true(lines_query_header(&program, ".debug_info")->sh_flags & SHF_COMPRESSED);
	lines_query_unload(&program);
}

static void file_without_aranges_is_read(void **state)
{
	struct program program = lines_query_load("no_aranges");

	assert_null(lines_query_header(&program, ".debug_aranges"));
	lines_query_unload(&program);
	expect_form("no_aranges");
}

static void linkage_name_is_preferred_and_found_through_the_declaration(void **state)
{
	struct program program = lines_query_load("cxx");

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_inner")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.places[0].call_count, 2);
	expect_call(0, "_ZN5scope5adder5twiceEi", 1001, 0);
	expect_call(1, "_ZN5scope5adder3addEi", 3003, 3001);
	lines_query_unload(&program);
}

static void function_within_another_is_found_outside_its_ranges(void **state)
{
	struct program program = lines_query_load("nested");

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_nested")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.places[0].call_count, 2);
	assert_string_equal(lines_query_function(0), "nested");
	assert_string_equal(lines_query_function(1), "nested");
	assert_int_equal(
		lines_query_checked.calls[lines_query_checked.places[0].first_call + 1].line, 77);
	assert_int_equal(lines_query_find(&program, NULL, lines_query_address(&program, "main")),
			 PARSER_OK);
	assert_int_equal(lines_query_checked.places[0].call_count, 1);
	assert_string_equal(lines_query_function(0), "around");
	lines_query_unload(&program);
}

static void name_in_a_shared_debug_file_is_missing_and_marked(void **state)
{
	struct program program = lines_query_load("nested");

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_shared")),
		PARSER_OK);
	assert_true(lines_query_checked.header->flags & PARSER_LINES_ALT_MISSING);
	assert_int_equal(lines_query_checked.places[0].call_count, 1);
	assert_string_equal(lines_query_function(0), "");
	lines_query_unload(&program);
}

static void names_are_found_in_the_file_that_dwz_has_made(void **state)
{
	struct program program = lines_query_load("dwz"), shared = lines_query_load("dwz_shared"),
		       other = lines_query_load("dwarf4");
	uint64_t vaddr = lines_query_address(&program, "place_inner");

	assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_OK);
	assert_true(lines_query_checked.header->flags & PARSER_LINES_ALT_MISSING);
	assert_int_equal(lines_query_checked.places[0].call_count, 3);
	assert_string_equal(lines_query_function(0), "");
	assert_int_equal(lines_query_find_shared(&program, &program, &shared, vaddr), PARSER_OK);
	assert_int_equal(lines_query_checked.header->flags, PARSER_LINES_HAS_DWARF);
	assert_int_equal(lines_query_checked.places[0].call_count, 3);
	expect_call(0, "lines_inner", 1001, 0);
	expect_call(1, "lines_middle", 2001, 0);
	expect_call(2, "lines_outer", 3003, 3001);
	assert_int_equal(lines_query_find_shared(&program, &program, &other, vaddr),
			 PARSER_REFUSED);
	lines_query_header(&shared, ".debug_info")->sh_size = 0;
	assert_int_equal(lines_query_find_shared(&program, &program, &shared, vaddr), PARSER_OK);
	assert_string_equal(lines_query_function(0), "");
	lines_query_unload(&other);
	lines_query_unload(&shared);
	lines_query_unload(&program);
}

static void functions_of_a_split_file_are_missing_and_its_lines_are_not(void **state)
{
	static const char *const forms[] = {"split", "split4"};

	for (int i = 0; i < 2; i++) {
		struct program program = lines_query_load(forms[i]);
		const struct parser_call *call;

		assert_int_equal(lines_query_find(&program, NULL,
						  lines_query_address(&program, "place_inner")),
				 PARSER_OK);
		assert_true(lines_query_checked.header->flags & PARSER_LINES_SPLIT_DEBUG);
		assert_int_equal(lines_query_checked.places[0].call_count, 1);
		call = &lines_query_checked.calls[lines_query_checked.places[0].first_call];
		assert_int_equal(call->function, PARSER_NO_NAME);
		assert_int_equal(call->line, 1001);
		lines_query_unload(&program);
	}
}

static void separate_debug_file_replaces_the_file(void **state)
{
	struct program program = lines_query_load("stripped"),
		       debug = lines_query_load("debug_only");

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_inner")),
		PARSER_OK);
	assert_int_equal(lines_query_checked.header->flags, 0);
	assert_int_equal(lines_query_checked.places[0].call_count, 0);
	expect_program(&program, &debug);
	lines_query_unload(&debug);
	lines_query_unload(&program);
}

static void result_bears_the_build_id_of_the_file_that_was_read(void **state)
{
	static const uint8_t id[] = {1, 2, 3, 4}; /* --build-id of the programs */
	struct program program = lines_query_load("stripped"),
		       debug = lines_query_load("debug_only");
	struct program *files[][2] = {{&program, NULL}, {&program, &debug}, {&debug, NULL}};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(lines_query_find(files[i][0], files[i][1], 0), PARSER_OK);
		assert_int_equal(lines_query_checked.header->build_id_bytes, sizeof(id));
		assert_memory_equal(lines_query_checked.header->build_id, id, sizeof(id));
	}
	lines_query_unload(&debug);
	lines_query_unload(&program);
}

static void every_address_has_its_own_calls(void **state)
{
	enum {
		BEFORE = 0x100,
		COUNT = 0x1000
	};
	static uint64_t vaddrs[COUNT];
	struct program program = lines_query_load("dwarf4");
	const struct image_source source = {lines_query_read, &program, program.count};
	const struct debug_sources sources = {.file = &source};
	uint64_t first = lines_query_address(&program, "lines_outer");
	bool seen_three = false;

	for (uint32_t i = 0; i < COUNT; i++)
		vaddrs[i] = first - BEFORE + i;
	assert_int_equal(lines_find(&lines_query_result, &sources, vaddrs, COUNT), PARSER_OK);
	assert_int_equal(lines_check_check(&lines_query_checked, lines_query_result.data,
					   lines_query_result.bytes, COUNT),
			 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct parser_place *place = &lines_query_checked.places[i];
		const struct parser_call *last;

		seen_three |= place->call_count == 3;
		if (!place->call_count)
			continue;
		last = &lines_query_checked.calls[place->first_call + place->call_count - 1];
		if (vaddrs[i] == first)
			assert_string_equal(lines_query_checked.names + last->function,
					    "lines_outer");
	}
	assert_true(lines_query_checked.places[BEFORE].call_count > 0);
	assert_true(seen_three);
	lines_query_unload(&program);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwarf_4_and_5_are_read),
		cmocka_unit_test(compressed_sections_are_inflated),
		cmocka_unit_test(file_without_aranges_is_read),
		cmocka_unit_test(linkage_name_is_preferred_and_found_through_the_declaration),
		cmocka_unit_test(function_within_another_is_found_outside_its_ranges),
		cmocka_unit_test(name_in_a_shared_debug_file_is_missing_and_marked),
		cmocka_unit_test(names_are_found_in_the_file_that_dwz_has_made),
		cmocka_unit_test(functions_of_a_split_file_are_missing_and_its_lines_are_not),
		cmocka_unit_test(separate_debug_file_replaces_the_file),
		cmocka_unit_test(result_bears_the_build_id_of_the_file_that_was_read),
		cmocka_unit_test(every_address_has_its_own_calls),
	};

	if (argc != 2)
		return 2;
	lines_query_folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
