/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_jitdump_limits - logs of JIT compilers of which a part is kept: it is the last one
 */

#include <inttypes.h>

#include "tests/unit/parser/jitdump_query.h"

#define HEADER 40u /* bytes */
#define STEP   64u /* from one code to the next one */

/* A dump of any length: each code has as many lines, and its number in its name and its path. */
static struct {
	uint32_t name_bytes; /* without the NUL */
	uint32_t lines;
	uint64_t number; /* of the code that `dump` has; UINT64_MAX: none */
	size_t bytes;    /* of each code's records */
} shape;

static const char *name_of(uint64_t number)
{
	static char name[PARSER_NAME_MAX + 1];

	(void)snprintf(name, sizeof(name), "%0*" PRIu64, (int)shape.name_bytes, number);
	return name;
}

static void build(uint64_t number)
{
	const uint64_t address = BASE + STEP * number;
	char path[16];

	if (number == shape.number)
		return;
	shape.number = number;
	dump.count = 0;
	(void)snprintf(path, sizeof(path), "%07" PRIu64 ".js", number % 10000000);
	if (shape.lines) {
		jitdump_builder_lines(&dump, 1, address, shape.lines);
		for (uint32_t i = 0; i < shape.lines; i++)
			jitdump_builder_line(&dump, address + i, i + 1, i ? "\xff" : path);
		jitdump_builder_end(&dump);
	}
	jitdump_builder_load(&dump, 1 + number, number, name_of(number), address, STEP);
	shape.bytes = dump.count;
}

static int read_long(void *context, void *to, uint64_t offset, size_t bytes)
{
	uint8_t *at = to;

	while (bytes) {
		uint64_t number = offset < HEADER ? 0 : (offset - HEADER) / shape.bytes;
		size_t within = (size_t)(offset - (offset < HEADER ? 0 : HEADER)) -
				(size_t)number * shape.bytes;
		size_t count;

		if (offset < HEADER) {
			jitdump_builder_begin(&dump, 0);
			shape.number = UINT64_MAX;
		} else {
			build(number);
		}
		count = dump.count - within < bytes ? dump.count - within : bytes;
		memcpy(at, dump.bytes + within, count);
		at += count;
		offset += count;
		bytes -= count;
	}
	return 0;
}

static void compile_long(uint64_t count, uint32_t name_bytes, uint32_t lines)
{
	struct image_source source = {read_long, NULL, 0};

	shape.name_bytes = name_bytes;
	shape.lines = lines;
	shape.number = UINT64_MAX;
	build(0);
	source.bytes = HEADER + count * shape.bytes;
	assert_int_equal(compile_source(&source), PARSER_OK);
}

static const char *name_of_code(uint64_t number)
{
	return name_at(BASE + STEP * number, UINT64_MAX - 1);
}

/* Each code is whole; those from some one on are there, at least @least of them. */
static void expect_the_last(uint64_t count, uint32_t least)
{
	uint64_t first = count - codes.header->code_count;

	assert_true(codes.header->flags == PARSER_CODES_TRUNCATED);
	assert_true(codes.header->code_count >= least && codes.header->code_count < count);
	assert_string_equal(name_of_code(first - 1), "");
	for (uint64_t number = first; number < count; number++)
		assert_string_equal(name_of_code(number), name_of(number));
}

static void of_too_many_codes_the_last_ones_are_kept(void **state)
{
	compile_long(PARSER_CODES_MAX, 7, 0);
	assert_int_equal(codes.header->flags, 0);
	assert_int_equal(codes.header->code_count, PARSER_CODES_MAX);
	compile_long(PARSER_CODES_MAX + 1, 7, 0);
	expect_the_last(PARSER_CODES_MAX + 1, PARSER_CODES_MAX / 4 * 3);
	compile_long(2 * PARSER_CODES_MAX, 7, 0);
	expect_the_last(2ull * PARSER_CODES_MAX, PARSER_CODES_MAX / 4 * 3);
}

static void of_too_long_names_the_last_ones_are_kept(void **state)
{
	const uint32_t bytes = 4000, fit = PARSER_CODE_NAMES_MAX / (bytes + 1);

	compile_long(2ull * fit, bytes, 0);
	expect_the_last(2ull * fit, fit / 4 * 3);
}

static void of_too_many_lines_the_last_ones_are_kept_and_all_names(void **state)
{
	const uint32_t lines = STEP, fit = PARSER_CODE_LINES_MAX / lines, count = 3 * fit;
	uint32_t with_lines = 0;
	char last[32];

	compile_long(count, 7, lines);
	assert_int_equal(codes.header->flags, PARSER_CODES_TRUNCATED);
	assert_int_equal(codes.header->code_count, count);
	for (uint32_t number = 0; number < count; number++) {
		const char *line = line_at(BASE + STEP * number, UINT64_MAX - 1);

		assert_string_equal(name_of_code(number), name_of(number));
		(void)snprintf(last, sizeof(last), "%07u.js:1", number);
		assert_true(*line ? strcmp(line, last) == 0 : !with_lines);
		with_lines += *line != '\0';
	}
	assert_true(with_lines >= fit / 3 && with_lines < count);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_too_many_codes_the_last_ones_are_kept),
		cmocka_unit_test(of_too_long_names_the_last_ones_are_kept),
		cmocka_unit_test(of_too_many_lines_the_last_ones_are_kept_and_all_names),
	};

	return cmocka_run_group_tests(tests, NULL, free_compiled);
}
