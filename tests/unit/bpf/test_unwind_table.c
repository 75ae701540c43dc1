/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_unwind_table - the BPF search finds the row that covers an address, in tables of every size,
 * and caches its rule
 */

#include "tests/unit/bpf/sampled.h"

#define PAGE TM_UNWIND_TABLE_PAGE
#define LAST (SAMPLED_CODE_BYTES - 0x100) /* the last row: the outermost function */
#define STEP 4u                           /* bytes from one row to the next */

/* The return address is at sp + 8 * (row % 61), so that a wrong row leads to a wrong frame. */
static struct tm_rule rule_of(uint32_t row)
{
	int32_t slot = (int32_t)(row % 61);

	return RULE(SP, 8 * slot + 8);
}

static void make_stack(void)
{
	for (uint32_t slot = 0; slot < 61; slot++)
		sampled_store(SAMPLED_SP + 8ull * slot, CODE(LAST + 1 + slot));
}

static void make_rows(uint32_t first, uint32_t count)
{
	for (uint32_t row = 0; row < count; row++)
		sampled_row(first + STEP * row, rule_of(row));
	sampled_row(LAST, RULE_END);
	make_stack();
}

static void expect_row(uint64_t offset, uint32_t row)
{
	sampled.registers.rip = CODE(offset);
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(offset), FRAME_CALL(LAST + 1 + row % 61));
}

/* Checks each row at its first and last byte. */
static void expect_rows(uint32_t first, uint32_t count)
{
	for (uint32_t row = 0; row < count; row++) {
		expect_row(first + STEP * row, row);
		expect_row(first + STEP * row + STEP - 1, row);
	}
}

static void every_row_of_a_page_is_found(void **state)
{
	static const uint32_t counts[] = {1, 2, 3, 127, 128, 129, PAGE - 2, PAGE - 1, PAGE};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		(void)sampled_make(state);
		make_rows(0x1000, counts[i]);
		expect_rows(0x1000, counts[i]);
	}
}

static void every_row_of_many_pages_is_found(void **state)
{
	make_rows(0x40, 20 * PAGE + 7);
	expect_rows(0x40, 20 * PAGE + 7);
}

/*
 * Rows so far apart that each has a page, as many as a table may have. A unit of page starts does
 * not hold them all, so that there is also a unit of the starts of these units.
 */
static void rows_of_the_largest_table_are_found(void **state)
{
	const uint32_t count = TM_UNWIND_TABLE_PAGES_MAX - 1, apart = 0x10001;

	for (uint32_t row = 0; row < count; row++)
		sampled_row(0x100 + row * apart, rule_of(row));
	sampled_row(LAST, RULE_END);
	make_stack();
	for (uint32_t row = 0; row < count; row += row < 600 ? 1 : 61) {
		expect_row(0x100 + (uint64_t)row * apart, row);
		expect_row(0x100 + (row + 1ull) * apart - 1, row);
	}
	expect_row(LAST - 1, count - 1);
}

static void address_before_the_first_row_has_no_rule(void **state)
{
	make_rows(0x1000, 10);
	sampled.registers.rip = CODE(0xfff);
	sampled_expect(TM_STOP_FRAME_POINTER, FRAME_EXACT(0xfff));
	expect_row(0x1000, 0);
}

/* A return address belongs to the call before it, at the end of the row before. */
static void return_address_belongs_to_the_row_of_its_call(void **state)
{
	sampled_row(0x1000, RULE(SP, 8));
	sampled_row(0x2000, RULE(SP, 16));
	sampled_row(0x2010, RULE(SP, 0x1000000));
	sampled_row(LAST, RULE_END);
	sampled_words(SAMPLED_SP, CODE(0x2010), 0, CODE(LAST + 8));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(0x1000), FRAME_CALL(0x2010), FRAME_CALL(LAST + 8));
}

/* The rule of an address is cached; a new table invalidates the cache. */
static void new_table_takes_effect_at_once(void **state)
{
	sampled_row(0x1000, RULE(SP, 8));
	sampled_row(LAST, RULE_END);
	sampled_words(SAMPLED_SP, CODE(LAST + 8), CODE(LAST + 16));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(0x1000), FRAME_CALL(LAST + 8));
	sampled_rows_clear();
	sampled_row(0x1000, RULE(SP, 16));
	sampled_row(LAST, RULE_END);
	sampled_install();
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(0x1000), FRAME_CALL(LAST + 16));
}

/* There are more addresses than the cache of rules has entries. */
static void cached_rules_are_those_of_their_address(void **state)
{
	make_rows(0x1000, 2000);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t row = 0; row < 2000; row++)
			expect_row(0x1000 + STEP * row, row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(every_row_of_a_page_is_found),
		SAMPLED_TEST(every_row_of_many_pages_is_found),
		SAMPLED_TEST(rows_of_the_largest_table_are_found),
		SAMPLED_TEST(address_before_the_first_row_has_no_rule),
		SAMPLED_TEST(return_address_belongs_to_the_row_of_its_call),
		SAMPLED_TEST(new_table_takes_effect_at_once),
		SAMPLED_TEST(cached_rules_are_those_of_their_address),
	};

	return SAMPLED_RUN(tests);
}
