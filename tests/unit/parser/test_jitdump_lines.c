/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_jitdump_lines - source lines in the logs of JIT compilers
 */

#include "tests/unit/parser/jitdump_query.h"

static void lines_are_those_of_the_code_that_is_loaded_next(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_lines(&dump, 90, BASE, 4);
	jitdump_builder_line(&dump, BASE, 3, "a.js");
	jitdump_builder_line(&dump, BASE + 32, 5, "b.js");
	jitdump_builder_line(&dump, BASE + 16, 4, "\xff");
	jitdump_builder_line(&dump, BASE + 64, 6, "\xff"); /* behind the code */
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 100, 1, "with", BASE, 64);
	jitdump_builder_load(&dump, 100, 2, "without", BASE + 0x1000, 64);
	jitdump_builder_lines(&dump, 110, BASE + 0x2000, 1);
	jitdump_builder_line(&dump, BASE + 0x2000, 9, "c.js");
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 120, 3, "another", BASE + 0x3000, 64);
	compile();
	assert_int_equal(codes.header->flags, 0);
	assert_string_equal(line_at(BASE, 100), "a.js:3");
	assert_string_equal(line_at(BASE + 15, 100), "a.js:3");
	assert_string_equal(line_at(BASE + 16, 100), "b.js:4");
	assert_string_equal(line_at(BASE + 63, 100), "b.js:5");
	assert_string_equal(line_at(BASE + 0x1000, 100), "");
	assert_string_equal(line_at(BASE + 0x3000, 120), "");
}

static void lines_that_count_from_an_elf_header_are_those_of_the_code(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_lines(&dump, 90, BASE, 2);
	jitdump_builder_line(&dump, BASE + 64 + 8, 3, "a.js");
	jitdump_builder_line(&dump, BASE + 64 + 48, 4, "\xff");
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 100, 1, "code", BASE, 64);
	compile();
	assert_string_equal(line_at(BASE + 7, 100), "");
	assert_string_equal(line_at(BASE + 8, 100), "a.js:3");
	assert_string_equal(line_at(BASE + 63, 100), "a.js:4");
}

static void lines_of_which_one_makes_no_sense_are_left_out(void **state)
{
	static const char *const paths[] = {"\xbb\x07", "a\x01", "\xff"};

	jitdump_builder_begin(&dump, 0);
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t address = BASE + 0x1000 * i;

		jitdump_builder_lines(&dump, 90, address, 2);
		jitdump_builder_line(&dump, address, 3, i < 3 ? paths[i] : "a.js");
		jitdump_builder_line(&dump, i < 3 ? address + 8 : address - 1, 4, "b.js");
		jitdump_builder_end(&dump);
		jitdump_builder_load(&dump, 100, i, "code", address, 64);
	}
	compile();
	assert_int_equal(codes.header->flags, PARSER_CODES_MALFORMED);
	assert_int_equal(codes.header->line_count, 0);
	assert_int_equal(codes.header->code_count, 4);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_those_of_the_code_that_is_loaded_next),
		cmocka_unit_test(lines_that_count_from_an_elf_header_are_those_of_the_code),
		cmocka_unit_test(lines_of_which_one_makes_no_sense_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, free_compiled);
}
