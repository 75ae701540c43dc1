/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines_hostile - programs whose debug information lies, and the limits of what is believed
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/dwarf/lines.h"
#include "symbolizer/parser/dwarf/unit_scopes.h"
#include "tests/unit/parser/lines_query.h"

static void debug_file_with_another_build_id_is_refused(void **state)
{
	struct program program = lines_query_load("stripped"),
		       debug = lines_query_load("debug_only");
	Elf64_Shdr *note = lines_query_header(&debug, ".note.gnu.build-id");
	uint64_t vaddr = lines_query_address(&program, "place_inner");

	debug.bytes[note->sh_offset + note->sh_size - 1] ^= 1;
	assert_int_equal(lines_query_find(&program, &debug, vaddr), PARSER_REFUSED);
	debug.bytes[note->sh_offset + note->sh_size - 1] ^= 1;
	assert_int_equal(lines_query_find(&program, &debug, vaddr), PARSER_OK);
	/* Two files without a build id are no pair. */
	memset(debug.bytes + note->sh_offset, 0, note->sh_size);
	note = lines_query_header(&program, ".note.gnu.build-id");
	memset(program.bytes + note->sh_offset, 0, note->sh_size);
	assert_int_equal(lines_query_find(&program, &debug, vaddr), PARSER_REFUSED);
	lines_query_unload(&debug);
	lines_query_unload(&program);
}

static void inflated_size_is_believed_up_to_the_limit(void **state)
{
	static const char *const forms[] = {"zlib", "zstd"};

	for (int i = 0; i < 2; i++) {
		struct program program = lines_query_load(forms[i]);
		uint64_t vaddr = lines_query_address(&program, "place_inner");
		Elf64_Shdr *section = lines_query_header(&program, ".debug_info");
		Elf64_Chdr *header = (void *)(program.bytes + section->sh_offset);
		uint64_t bytes = header->ch_size;

		header->ch_size = DEBUG_SECTIONS_MAX;
		assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_TOO_LARGE);
		header->ch_size = UINT64_MAX;
		assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_TOO_LARGE);
		for (uint64_t lie = bytes - 1; lie <= bytes + 1; lie += 2) {
			header->ch_size = lie;
			assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_OK);
			assert_int_equal(lines_query_checked.places[0].call_count, 0);
			assert_true(lines_query_checked.header->flags & PARSER_LINES_MALFORMED);
		}
		header->ch_size = bytes;
		header->ch_type = 77;
		assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_OK);
		assert_int_equal(lines_query_checked.places[0].call_count, 0);
		lines_query_unload(&program);
	}
}

static void sections_beyond_the_limit_are_too_large(void **state)
{
	struct program program = lines_query_load("dwarf5");
	uint64_t vaddr = lines_query_address(&program, "place_inner");

	lines_query_header(&program, ".debug_str")->sh_size = 1ull << 60;
	assert_int_equal(lines_query_find(&program, NULL, vaddr),
			 PARSER_OK); /* beyond the file: absent */
	lines_query_header(&program, ".debug_line")->sh_offset = UINT64_MAX;
	assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_OK);
	lines_query_header(&program, ".debug_info")->sh_type = SHT_NOBITS;
	assert_int_equal(lines_query_find(&program, NULL, vaddr), PARSER_OK);
	assert_int_equal(lines_query_checked.header->flags, 0);
	lines_query_unload(&program);
}

static void addresses_that_do_not_ascend_are_refused(void **state)
{
	struct program program = lines_query_load("dwarf5");
	const struct image_source source = {lines_query_read, &program, program.count};
	const struct debug_sources sources = {.file = &source};
	const uint64_t equal[] = {0x1000, 0x1000}, falling[] = {0x1001, 0x1000};

	assert_int_equal(lines_find(&lines_query_result, &sources, equal, 2), PARSER_REFUSED);
	assert_int_equal(lines_find(&lines_query_result, &sources, falling, 2), PARSER_REFUSED);
	assert_int_equal(lines_find(&lines_query_result, &sources, equal, 0), PARSER_OK);
	lines_query_unload(&program);
}

static void calls_are_read_to_the_limit_of_depth(void **state)
{
	struct program program = lines_query_load("nested");
	uint32_t calls;

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_deep")),
		PARSER_OK);
	assert_true(lines_query_checked.header->flags & PARSER_LINES_TRUNCATED);
	calls = lines_query_checked.places[0].call_count;
	assert_int_equal(calls, UNIT_SCOPES_DEPTH);
	assert_string_equal(lines_query_function(0), "nested");
	assert_string_equal(lines_query_function(calls - 1), "deep");
	assert_int_equal(
		lines_query_checked.calls[lines_query_checked.places[0].first_call + calls - 1]
			.line,
		78);
	assert_int_equal(lines_query_find(&program, NULL, lines_query_address(&program, "main")),
			 PARSER_OK);
	assert_false(lines_query_checked.header->flags & PARSER_LINES_TRUNCATED);
	lines_query_unload(&program);
}

static void table_of_lines_is_checked_whole(void **state)
{
	struct program program = lines_query_load("dwarf5");
	struct parser_line_table *table;
	struct parser_place *place;
	struct parser_call *call;

	assert_int_equal(
		lines_query_find(&program, NULL, lines_query_address(&program, "place_inner")),
		PARSER_OK);
	table = lines_query_result.data;
	place = (void *)(table + 1);
	call = (void *)(place + 1);
#define expect_refused(field, value)                                                              \
	do {                                                                                      \
		uint32_t kept = (field);                                                          \
		(field) = (value);                                                                \
		assert_int_equal(lines_check_check(&lines_query_checked, lines_query_result.data, \
						   lines_query_result.bytes, 1),                  \
				 -74);                                                            \
		(field) = kept;                                                                   \
		assert_int_equal(lines_check_check(&lines_query_checked, lines_query_result.data, \
						   lines_query_result.bytes, 1),                  \
				 0);                                                              \
	} while (0)
	expect_refused(table->magic, 0);
	expect_refused(table->place_count, 2);
	expect_refused(table->call_count, table->call_count + 100);
	expect_refused(table->call_count, PARSER_CALLS_MAX + 1);
	expect_refused(table->name_bytes, table->name_bytes + 1);
	expect_refused(table->name_bytes, table->name_bytes - 1);
	expect_refused(table->flags, PARSER_LINES_FLAGS_ALL + 1);
	expect_refused(table->build_id_bytes, PARSER_BUILD_ID_MAX + 1);
	expect_refused(place->first_call, 1);
	expect_refused(place->first_call, UINT32_MAX);
	expect_refused(place->call_count, 4);
	expect_refused(place->call_count, UINT32_MAX);
	expect_refused(call->function, table->name_bytes);
	expect_refused(call->file, table->name_bytes);
	lines_query_unload(&program);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debug_file_with_another_build_id_is_refused),
		cmocka_unit_test(inflated_size_is_believed_up_to_the_limit),
		cmocka_unit_test(sections_beyond_the_limit_are_too_large),
		cmocka_unit_test(addresses_that_do_not_ascend_are_refused),
		cmocka_unit_test(calls_are_read_to_the_limit_of_depth),
		cmocka_unit_test(table_of_lines_is_checked_whole),
	};

	if (argc != 2)
		return 2;
	lines_query_folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
