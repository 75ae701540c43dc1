/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table_writer - a written table gives the rules that were added, up to its limits
 */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shared/parse.h"
#include "symbolizer/parser/table_writer.h"
#include "tests/unit/parser/rule_text.h"

#define MODEL_ROWS 5000u

static struct table_writer writer;
static struct tm_unwind_table_view view;
static void *blob;

static struct tm_rule rule_of(uint32_t number)
{
	return (struct tm_rule){.cfa = TM_CFA_SP,
				.ra = TM_SAVED_CFA,
				.ra_offset = -8,
				.fp = TM_SAVED_SAME,
				.cfa_offset = (int32_t)number};
}

static void put(uint64_t offset, uint32_t number)
{
	struct tm_rule rule = rule_of(number);

	assert_int_equal(table_writer_put(&writer, offset, &rule), 0);
}

static void put_unknown(uint64_t offset)
{
	struct tm_rule rule = {.cfa = TM_CFA_NONE};

	assert_int_equal(table_writer_put(&writer, offset, &rule), 0);
}

static void finish(void)
{
	const struct tm_unwind_table header = {.magic = TM_UNWIND_TABLE_MAGIC};
	const struct tm_runtime no_runtime = {0};
	uint64_t bytes;

	assert_int_equal(table_writer_finish(&writer, &header, &no_runtime, &blob, &bytes), 0);
	assert_int_equal(tm_unwind_table_check(&view, blob, bytes), 0);
}

/* Return: the rule's number; -1: no row, -2: the unknown rule. */
static int64_t at(uint64_t offset)
{
	const struct tm_rule *rule = tm_unwind_table_find(&view, offset);

	if (!rule)
		return -1;
	return rule->cfa == TM_CFA_NONE ? -2 : rule->cfa_offset;
}

static int setup(void **state)
{
	return table_writer_open(&writer);
}

static int teardown(void **state)
{
	table_writer_close(&writer);
	free(blob);
	blob = NULL;
	return 0;
}

static void repeated_rule_makes_no_row(void **state)
{
	put(0x1000, 8);
	put(0x1004, 8);
	put(0x1008, 16);
	finish();
	assert_int_equal(view.header->rows, 2);
	assert_int_equal(view.header->rules, 2);
	assert_int_equal(at(0xfff), -1);
	assert_int_equal(at(0x1007), 8);
	assert_int_equal(at(0x1008), 16);
}

static void later_rule_at_an_offset_replaces_the_earlier(void **state)
{
	put(0x1000, 8);
	put(0x1004, 16);
	put(0x1004, 24);
	put(0x1002, 32); /* before the last row: ignored */
	finish();
	assert_int_equal(view.header->rows, 2);
	assert_int_equal(at(0x1003), 8);
	assert_int_equal(at(0x1004), 24);
}

static void unknown_rule_makes_no_first_row(void **state)
{
	put_unknown(0);
	put(0x1000, 8);
	put_unknown(0x1010);
	finish();
	assert_int_equal(view.header->rows, 2);
	assert_int_equal(at(0x1010), -2);
}

static void far_row_begins_a_page(void **state)
{
	put(0x1000, 8);
	put(0x1000 + TM_UNWIND_TABLE_PAD - 1, 16);
	put(0x1000 + TM_UNWIND_TABLE_PAD, 24);
	put(UINT32_MAX, 32);
	put(UINT32_MAX + 1ull, 40);
	finish();
	assert_int_equal(view.header->pages, 3);
	assert_int_equal(at(0x1000 + TM_UNWIND_TABLE_PAD - 2), 8);
	assert_int_equal(at(0x1000 + TM_UNWIND_TABLE_PAD - 1), 16);
	assert_int_equal(at(0x1000 + TM_UNWIND_TABLE_PAD), 24);
	assert_int_equal(at(UINT32_MAX - 1), 24);
	assert_int_equal(at(UINT32_MAX), 32);
	assert_int_equal(view.header->flags, 0);
}

static void rule_of_most_rows_comes_first(void **state)
{
	for (uint32_t i = 0; i < 100; i++)
		put(0x1000 + 4 * i, i % 2 ? 8 : 16 + i);
	finish();
	assert_int_equal(view.rules[0].cfa_offset, 8);
}

static void row_that_was_replaced_does_not_count_for_its_rule(void **state)
{
	for (uint32_t i = 0; i < 10; i++) {
		put(0x1000 + 8 * i, 8);
		put(0x1000 + 8 * i, 16 + i);
	}
	put(0x2000, 16);
	finish();
	assert_int_equal(view.rules[0].cfa_offset, 16);
}

static void full_table_ends_with_the_unknown_rule(void **state)
{
	const uint32_t most = (TM_UNWIND_TABLE_PAGES_MAX - 1) * TM_UNWIND_TABLE_PAGE;

	for (uint32_t i = 0; i < most + 1000; i++)
		put(0x1000 + 4ull * i, 8 + i % 2);
	finish();
	assert_int_equal(view.header->flags, TM_UNWIND_TABLE_CUT);
	assert_int_equal(view.header->rows, most + 1);
	assert_int_equal(at(0x1000 + 4ull * (most - 1)), 8 + (most - 1) % 2);
	assert_int_equal(at(0x1000 + 4ull * most), -2);
	assert_int_equal(at(UINT32_MAX), -2);
}

static void rule_beyond_the_limit_becomes_unknown(void **state)
{
	for (uint32_t i = 0; i < TM_UNWIND_TABLE_RULES_MAX + 10; i++)
		put(0x1000 + 4ull * i, i);
	put(0x1000 + 4ull * (TM_UNWIND_TABLE_RULES_MAX + 10),
	    0); /* a rule that the table has already */
	finish();
	assert_int_equal(view.header->flags, TM_UNWIND_TABLE_CUT);
	assert_int_equal(view.header->rules, TM_UNWIND_TABLE_RULES_MAX);
	assert_int_equal(at(0x1000 + 4ull * (TM_UNWIND_TABLE_RULES_MAX - 2)),
			 TM_UNWIND_TABLE_RULES_MAX - 2);
	assert_int_equal(at(0x1000 + 4ull * (TM_UNWIND_TABLE_RULES_MAX - 1)), -2);
	assert_int_equal(at(0x1000 + 4ull * (TM_UNWIND_TABLE_RULES_MAX + 10)), 0);
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static void random_rows_are_found_as_they_were_added(void **state)
{
	static uint64_t offsets[MODEL_ROWS];
	static uint32_t numbers[MODEL_ROWS];
	const char *seed = getenv("TM_SEED"); // NOLINT(concurrency-mt-unsafe)
	uint64_t offset = 0;

	if (!seed || tm_parse_number(seed, 1, UINT64_MAX, &random_state))
		random_state = (uintptr_t)&offset ^ 0x5eed;
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	for (uint32_t i = 0; i < MODEL_ROWS; i++) {
		offset += 1 + random_below(random_below(50) ? 40 : 200000);
		offsets[i] = offset;
		numbers[i] = 8 * random_below(20);
		put(offset, numbers[i]);
	}
	finish();
	assert_int_equal(at(offsets[0] - 1), -1);
	for (uint32_t i = 0; i < MODEL_ROWS; i++) {
		assert_int_equal(at(offsets[i]), numbers[i]);
		assert_int_equal(at(i + 1 < MODEL_ROWS ? offsets[i + 1] - 1 : UINT32_MAX),
				 numbers[i]);
	}
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(repeated_rule_makes_no_row),
		claim(later_rule_at_an_offset_replaces_the_earlier),
		claim(unknown_rule_makes_no_first_row),
		claim(far_row_begins_a_page),
		claim(rule_of_most_rows_comes_first),
		claim(row_that_was_replaced_does_not_count_for_its_rule),
		claim(full_table_ends_with_the_unknown_rule),
		claim(rule_beyond_the_limit_becomes_unknown),
		claim(random_rows_are_found_as_they_were_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
