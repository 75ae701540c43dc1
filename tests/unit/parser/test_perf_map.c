/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_perf_map - maps of JIT compilers: lines, overlaps, and what does not parse
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "shared/parse.h"
#include "symbolizer/parser/jit/perf_map.h"
#include "tests/unit/parser/symbols_view.h"

#define ADDRESSES 64u
#define LINES     24u
#define ROUNDS    5000

struct text {
	const char *bytes;
	size_t count;
};

static struct result_blob result;
static struct symbols_view view;
static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static int read_text(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct text *text = context;

	if (offset > text->count || bytes > text->count - offset)
		return -EIO;
	memcpy(to, text->bytes + offset, bytes);
	return 0;
}

/* @claimed: the size of the file when it was opened. */
static int compile(const char *bytes, size_t count, uint64_t claimed)
{
	struct text text = {bytes, count};
	struct image_source source = {read_text, &text, claimed};
	int r;

	result_blob_free(&result);
	r = perf_map_compile(&result, &source, (uint64_t)PARSER_PERF_MAP_MIB << 20);
	if (r == PARSER_OK)
		assert_null(symbols_view_open(&view, result.data, result.bytes));
	return r;
}

static void compile_text(const char *text)
{
	assert_int_equal(compile(text, strlen(text), strlen(text)), PARSER_OK);
}

static const char *name_at(uint64_t address)
{
	const struct parser_symbol *symbol = symbols_view_find(&view, address);

	return symbol ? view.names + symbol->name : "";
}

static int free_result(void **state)
{
	result_blob_free(&result);
	return 0;
}

static void names_are_the_rest_of_the_line(void **state)
{
	compile_text("7f0010 20 LazyCompile:*run /srv/app.js:3:9\n"
		     "0x7f0040 0x8 Lclass;::method\n"
		     "00007F00000000A0\t1\t  x\n");
	assert_int_equal(view.header->flags, 0);
	assert_string_equal(name_at(0x7f0010), "LazyCompile:*run /srv/app.js:3:9");
	assert_string_equal(name_at(0x7f002f), "LazyCompile:*run /srv/app.js:3:9");
	assert_string_equal(name_at(0x7f0030), "");
	assert_string_equal(name_at(0x7f0047), "Lclass;::method");
	assert_string_equal(name_at(0x7f00000000a0), "x");
}

static void a_line_without_its_end_is_left_out(void **state)
{
	compile_text("10 8 whole\n20 8 par");
	assert_int_equal(view.header->flags, 0);
	assert_int_equal(view.header->symbol_count, 1);
	assert_string_equal(name_at(0x10), "whole");
	compile_text("");
	assert_int_equal(view.header->symbol_count, 0);
}

static void what_does_not_parse_is_left_out_and_flagged(void **state)
{
	static const char *const lines[] = {
		"name",
		"10",
		"10 ",
		"10 8",
		"10 8 ",
		"10 0 empty",
		" 10 8 blank",
		"10 -8 minus",
		"1g 8 digit",
		"10 8g digit",
		"0x 8 none",
		"11112222333344445 8 long",
		"10 100000000 large",
		"fffffffffffffff8 10 wraps",
		"-10 8 x",
		"\x80\xff 1 a",
	};
	char text[128];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		(void)snprintf(text, sizeof(text), "30 8 before\n%s\n40 8 behind\n", lines[i]);
		compile_text(text);
		assert_int_equal(view.header->flags, PARSER_SYMBOLS_MALFORMED);
		assert_int_equal(view.header->symbol_count, 2);
		assert_string_equal(name_at(0x47), "behind");
	}
}

static void bytes_of_any_value_may_stand_in_a_name(void **state)
{
	static const char text[] = "10 8 \x1b[2J\xff\xfe\r\n20 8 cut\0off\n30 8 last\n";

	assert_int_equal(compile(text, sizeof(text) - 1, sizeof(text) - 1), PARSER_OK);
	assert_string_equal(name_at(0x10), "\x1b[2J\xff\xfe\r");
	assert_string_equal(name_at(0x20), "cut");
	assert_string_equal(name_at(0x30), "last");
}

static void a_name_of_megabytes_is_cut(void **state)
{
	size_t length = 10u << 20;
	char *text = malloc(length);

	assert_non_null(text);
	memset(text, 'n', length);
	memcpy(text, "10 8 ", 5);
	text[length - 1] = '\n';
	assert_int_equal(compile(text, length, length), PARSER_OK);
	assert_int_equal(strlen(name_at(0x10)), PARSER_NAME_MAX);
	free(text);
}

static void a_file_that_became_shorter_has_changed(void **state)
{
	assert_int_equal(compile("10 8 a\n", 7, 4096), PARSER_CHANGED);
}

/* Beside a choice that looks at all lines for each address. */
static void later_lines_win(void **state)
{
	char text[LINES * 32], expected[ADDRESSES][8];

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t count = random_below(LINES);
		size_t length = 0;

		memset(expected, 0, sizeof(expected));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t start = random_below(ADDRESSES / 2);
			uint32_t bytes = 1 + random_below(ADDRESSES / 2);

			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "%x %x f%u\n", start, bytes, i);
			for (uint32_t at = start; at < start + bytes; at++)
				(void)snprintf(expected[at], sizeof(expected[at]), "f%u", i);
		}
		assert_int_equal(compile(text, length, length), PARSER_OK);
		for (uint32_t at = 0; at < ADDRESSES; at++)
			assert_string_equal(name_at(at), expected[at]);
	}
}

/* Lines that contain one another, or that lie side by side in disorder; about @bytes of them. */
static char *make_text(size_t bytes, bool nested, size_t *ret_count)
{
	char *text = malloc(bytes + 64);
	size_t count = 0;

	assert_non_null(text);
	for (uint32_t i = 0; count < bytes; i++) {
		uint64_t start = nested ? i : (uint64_t)(i ^ 0x55555) * 16;

		count += (size_t)snprintf(text + count, 64, "%" PRIx64 " %x f\n", start,
					  nested ? 0x10000000 - 2 * i : 24);
	}
	*ret_count = count;
	return text;
}

static void many_lines_are_bounded(void **state)
{
	size_t count;

	for (int nested = 0; nested < 2; nested++) {
		char *text = make_text(40u << 20, nested, &count);

		assert_int_equal(compile(text, count, count), PARSER_OK);
		assert_int_equal(view.header->flags, PARSER_SYMBOLS_TRUNCATED);
		assert_true(view.header->symbol_count <= PARSER_SYMBOLS_MAX);
		free(text);
	}
}

/* What is read begins within the name of the second line. */
static void the_last_bytes_of_a_large_map_are_read(void **state)
{
	static const char first[] = "10 8 first\n20 8 ", last[] = "\n30 8 before\n40 8 last\n";
	const size_t most = PARSER_PERF_MAP_MIB << 20, bytes = most + sizeof(first) - 1;
	char *text = malloc(bytes);

	assert_non_null(text);
	memset(text, 'n', bytes);
	memcpy(text, first, sizeof(first) - 1);
	memcpy(text + bytes - sizeof(last) + 1, last, sizeof(last) - 1);
	assert_int_equal(compile(text, bytes, bytes), PARSER_OK);
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_TRUNCATED);
	assert_int_equal(view.header->symbol_count, 2);
	assert_string_equal(name_at(0x30), "before");
	assert_string_equal(name_at(0x40), "last");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_the_rest_of_the_line),
		cmocka_unit_test(a_line_without_its_end_is_left_out),
		cmocka_unit_test(what_does_not_parse_is_left_out_and_flagged),
		cmocka_unit_test(bytes_of_any_value_may_stand_in_a_name),
		cmocka_unit_test(a_name_of_megabytes_is_cut),
		cmocka_unit_test(a_file_that_became_shorter_has_changed),
		cmocka_unit_test(later_lines_win),
		cmocka_unit_test(many_lines_are_bounded),
		cmocka_unit_test(the_last_bytes_of_a_large_map_are_read),
	};
	const char *seed = getenv("TM_SEED");

	random_state = 1;
	if (seed)
		(void)tm_parse_number(seed, 0, UINT64_MAX, &random_state);
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	return cmocka_run_group_tests(tests, NULL, free_result);
}
