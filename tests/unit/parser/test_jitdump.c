/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_jitdump - logs of JIT compilers: code that is replaced and moved, what does not parse
 */

#include <inttypes.h>

#include "shared/parse.h"
#include "tests/unit/parser/jitdump_query.h"

#define ROUNDS    300
#define CODES     24u
#define ADDRESSES 96u

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static void code_is_named_by_what_lay_there_then(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, "first", BASE, 64);
	jitdump_builder_load(&dump, 200, 2, "second", BASE, 64);
	jitdump_builder_load(&dump, 300, 3, "third", BASE, 64);
	compile();
	assert_int_equal(codes.header->flags, 0);
	assert_int_equal(codes.header->pid, JITDUMP_BUILDER_PID);
	assert_string_equal(name_at(BASE, 99), "");
	assert_string_equal(name_at(BASE, 100), "first");
	assert_string_equal(name_at(BASE + 63, 199), "first");
	assert_string_equal(name_at(BASE, 200), "second");
	assert_string_equal(name_at(BASE, UINT64_MAX - 1), "third");
	assert_string_equal(name_at(BASE + 64, 300), "");
	assert_string_equal(name_at(BASE - 1, 300), "");
}

static void without_a_time_only_what_was_never_replaced_is_named(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, "first", BASE, 64);
	jitdump_builder_load(&dump, 200, 2, "second", BASE + 32, 64);
	compile();
	assert_string_equal(name_at(BASE, 0), "first");
	assert_string_equal(name_at(BASE + 32, 0), "");
	assert_string_equal(name_at(BASE + 64, 0), "second");
}

static void what_a_later_code_covers_in_part_keeps_the_rest(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, "long", BASE, 96);
	jitdump_builder_load(&dump, 200, 2, "short", BASE + 32, 32);
	compile();
	assert_string_equal(name_at(BASE + 40, 150), "long");
	assert_string_equal(name_at(BASE + 31, 250), "long");
	assert_string_equal(name_at(BASE + 32, 250), "short");
	assert_string_equal(name_at(BASE + 63, 250), "short");
	assert_string_equal(name_at(BASE + 64, 250), "long");
}

static void records_need_not_be_in_the_order_of_their_times(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 200, 2, "second", BASE, 64);
	jitdump_builder_load(&dump, 100, 1, "first", BASE, 64);
	compile();
	assert_string_equal(name_at(BASE, 150), "first");
	assert_string_equal(name_at(BASE, 250), "second");
}

static void moved_code_has_its_name_and_lines_where_it_lies_now(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_lines(&dump, 90, BASE, 1);
	jitdump_builder_line(&dump, BASE + 4, 7, "a.js");
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 100, 5, "moved", BASE, 64);
	jitdump_builder_load(&dump, 110, 6, "stays", BASE + 0x2000, 64);
	jitdump_builder_move(&dump, 200, 5, BASE, BASE + 0x1000, 64);
	jitdump_builder_move(&dump, 300, 5, BASE + 0x1000, BASE, 64);
	compile();
	assert_int_equal(codes.header->flags, 0);
	assert_string_equal(name_at(BASE, 199), "moved");
	assert_string_equal(name_at(BASE, 200), "");
	assert_string_equal(name_at(BASE + 0x1000, 199), "");
	assert_string_equal(name_at(BASE + 0x1000, 200), "moved");
	assert_string_equal(line_at(BASE + 0x1008, 200), "a.js:7");
	assert_string_equal(name_at(BASE + 0x1000, 300), "");
	assert_string_equal(name_at(BASE, 300), "moved");
	assert_string_equal(name_at(BASE + 0x2000, 300), "stays");
}

static void a_move_of_code_that_was_not_there_is_left_out(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 5, "stays", BASE, 64);
	jitdump_builder_move(&dump, 200, 5, BASE + 8, BASE + 0x1000, 64);
	jitdump_builder_move(&dump, 200, 6, BASE, BASE + 0x1000, 64);
	compile();
	assert_int_equal(codes.header->flags, PARSER_CODES_MALFORMED);
	assert_string_equal(name_at(BASE, 300), "stays");
	assert_string_equal(name_at(BASE + 0x1000, 300), "");
}

static void a_record_that_is_still_being_written_is_left_out(void **state)
{
	size_t whole;

	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, "first", BASE, 64);
	whole = dump.count;
	jitdump_builder_load(&dump, 200, 2, "second", BASE, 64);
	for (uint64_t bytes = whole; bytes < dump.count; bytes++) {
		assert_int_equal(compile_as(bytes), PARSER_OK);
		assert_int_equal(codes.header->flags, 0);
		assert_string_equal(name_at(BASE, 250), "first");
	}
	compile();
	assert_string_equal(name_at(BASE, 250), "second");
}

static void a_file_that_became_shorter_is_to_be_read_again(void **state)
{
	jitdump_builder_begin(&dump, 0);
	assert_int_equal(compile_as(dump.count + 1), PARSER_CHANGED);
}

static void times_of_another_clock_are_refused(void **state)
{
	jitdump_builder_begin(&dump, 1);
	jitdump_builder_load(&dump, 100, 1, "first", BASE, 64);
	compile();
	assert_int_equal(codes.header->flags, PARSER_CODES_OTHER_CLOCK);
	assert_int_equal(codes.header->code_count, 0);
}

static void what_is_no_jitdump_of_this_machine_is_none(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = {{0, 'E'}, {4, 2}, {8, 39}, {12, 183}};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		jitdump_builder_begin(&dump, 0);
		dump.bytes[changes[i].at] = changes[i].value;
		assert_int_equal(compile_as(dump.count), PARSER_NOT_ELF);
	}
	jitdump_builder_begin(&dump, 0);
	assert_int_equal(compile_as(39), PARSER_NOT_ELF);
	assert_int_equal(compile_as(0), PARSER_NOT_ELF);
	compile();
	assert_int_equal(codes.header->span_count, 0);
}

static void what_makes_no_sense_is_left_out_and_flagged(void **state)
{
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, "empty", BASE, 0);
	jitdump_builder_load(&dump, 100, 2, "wraps", UINT64_MAX - 8, 64);
	jitdump_builder_record(&dump, 0, 100); /* too short for a LOAD */
	jitdump_builder_u32(&dump, 1);
	jitdump_builder_end(&dump);
	jitdump_builder_record(&dump, 2, 100); /* lines without a path before them */
	jitdump_builder_u64(&dump, BASE);
	jitdump_builder_u64(&dump, UINT64_MAX);
	jitdump_builder_line(&dump, BASE, 3, "\xff");
	jitdump_builder_end(&dump);
	jitdump_builder_record(&dump, 99, 100); /* of an unknown kind: skipped */
	jitdump_builder_u64(&dump, 0);
	jitdump_builder_end(&dump);
	jitdump_builder_load(&dump, 100, 3, "good", BASE, 64);
	jitdump_builder_record(&dump, 0, 100); /* its end is before its beginning */
	jitdump_builder_load(&dump, 100, 4, "never", BASE + 0x1000, 64);
	compile();
	assert_int_equal(codes.header->flags, PARSER_CODES_MALFORMED);
	assert_int_equal(codes.header->code_count, 1);
	assert_string_equal(name_at(BASE, 100), "good");
}

static void a_name_is_cut_at_its_limit(void **state)
{
	char name[PARSER_NAME_MAX + 100];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	jitdump_builder_begin(&dump, 0);
	jitdump_builder_load(&dump, 100, 1, name, BASE, 64);
	compile();
	assert_int_equal(strlen(name_at(BASE, 100)), PARSER_NAME_MAX);
}

/* --- against a list of all records ------------------------------------------------------------ */

struct placed {
	uint64_t start, from, until;
	uint32_t bytes, name;
};

static void expect_at(const struct placed *placed, uint32_t count, uint64_t address, uint64_t ktime)
{
	const struct placed *last = NULL;
	char name[16] = "";

	for (uint32_t i = 0; i < count; i++)
		if (placed[i].from <= ktime && address >= placed[i].start &&
		    address < placed[i].start + placed[i].bytes &&
		    (!last || placed[i].from > last->from))
			last = &placed[i];
	if (last && last->until > ktime)
		(void)snprintf(name, sizeof(name), "f%u", last->name);
	assert_string_equal(name_at(address, ktime), name);
}

/* Code @i is code number @i; one in four is a move of the code before it. */
static void random_dump(struct placed *placed)
{
	jitdump_builder_begin(&dump, 0);
	for (uint32_t i = 0; i < CODES; i++) {
		struct placed *code = &placed[i];
		char name[16];

		*code = (struct placed){BASE + random_below(ADDRESSES), 10ull * (i + 1), UINT64_MAX,
					1 + random_below(ADDRESSES / 4), i};
		if (i && random_below(4) == 0) {
			code->name = placed[i - 1].name;
			placed[i - 1].until = code->from;
			jitdump_builder_move(&dump, code->from, code->name, placed[i - 1].start,
					     code->start, code->bytes);
			continue;
		}
		(void)snprintf(name, sizeof(name), "f%u", i);
		jitdump_builder_load(&dump, code->from, i, name, code->start, code->bytes);
	}
}

static void random_codes_are_found_as_in_a_list_of_them(void **state)
{
	struct placed placed[CODES];

	for (int round = 0; round < ROUNDS; round++) {
		random_dump(placed);
		compile();
		assert_int_equal(codes.header->flags, 0);
		for (uint32_t i = 0; i < 200; i++)
			expect_at(placed, CODES, BASE + random_below(ADDRESSES + 40),
				  random_below(10 * CODES + 20) + 1);
	}
}

/* --- hostile ---------------------------------------------------------------------------------- */

static uint64_t from_at(uint64_t address, uint64_t ktime)
{
	const struct parser_code *code = code_at(address, ktime);

	return code ? code->from : 0;
}

/* Each overlaps all others, so that each address has a history of thousands of codes. */
static void of_codes_that_all_overlap_the_last_ones_are_kept_at_each_address(void **state)
{
	const uint32_t count = 12000;

	jitdump_builder_begin(&dump, 0);
	for (uint32_t i = 0; i < count; i++) {
		jitdump_builder_load(&dump, 100 + i, i, "x", BASE + i, 1);
		memcpy(dump.bytes + dump.record + 40, &(uint64_t){2ull * count}, sizeof(uint64_t));
	}
	compile();
	assert_int_equal(codes.header->flags, PARSER_CODES_TRUNCATED);
	assert_true(codes.header->version_count <= PARSER_CODE_VERSIONS_MAX);
	for (uint32_t i = 1; i <= 2 * count; i++) {
		uint32_t last = i < count ? i : count - 1;

		assert_int_equal(from_at(BASE + i, UINT64_MAX - 1), 100 + last);
		assert_int_equal(from_at(BASE + i, 100 + last - 1), 100 + last - 1);
	}
	assert_string_equal(name_at(BASE + count - 1, 100), ""); /* long replaced */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_named_by_what_lay_there_then),
		cmocka_unit_test(without_a_time_only_what_was_never_replaced_is_named),
		cmocka_unit_test(what_a_later_code_covers_in_part_keeps_the_rest),
		cmocka_unit_test(records_need_not_be_in_the_order_of_their_times),
		cmocka_unit_test(moved_code_has_its_name_and_lines_where_it_lies_now),
		cmocka_unit_test(a_move_of_code_that_was_not_there_is_left_out),
		cmocka_unit_test(a_record_that_is_still_being_written_is_left_out),
		cmocka_unit_test(a_file_that_became_shorter_is_to_be_read_again),
		cmocka_unit_test(times_of_another_clock_are_refused),
		cmocka_unit_test(what_is_no_jitdump_of_this_machine_is_none),
		cmocka_unit_test(what_makes_no_sense_is_left_out_and_flagged),
		cmocka_unit_test(a_name_is_cut_at_its_limit),
		cmocka_unit_test(random_codes_are_found_as_in_a_list_of_them),
		cmocka_unit_test(of_codes_that_all_overlap_the_last_ones_are_kept_at_each_address),
	};
	const char *seed = getenv("TM_SEED");

	random_state = 1;
	if (seed)
		(void)tm_parse_number(seed, 0, UINT64_MAX, &random_state);
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	return cmocka_run_group_tests(tests, NULL, free_compiled);
}
