/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unwind_table_check - the check of an unwind table refuses every malformed field
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared/unwind_table.h"

#define PAGES 2
#define RULES 3

static _Alignas(8) struct {
	struct tm_unwind_table header;
	uint32_t starts[PAGES];
	struct tm_rule rules[RULES];
	struct tm_unwind_table_page pages[PAGES];
	uint8_t more[8];
} table;
#define TABLE_BYTES offsetof(__typeof__(table), more)

static const struct tm_rule call = {.cfa = TM_CFA_SP,
				    .ra = TM_SAVED_CFA,
				    .fp = TM_SAVED_SAME,
				    .cfa_offset = 8,
				    .ra_offset = -8};

/* Two pages: 256 rows from 0x1000 on, every four bytes; one row at 0x2000. */
static int setup(void **state)
{
	memset(&table, 0, sizeof(table));
	table.header = (struct tm_unwind_table){.magic = TM_UNWIND_TABLE_MAGIC,
						.pages = PAGES,
						.rules = RULES,
						.rows = TM_UNWIND_TABLE_PAGE + 1,
						.frames = 3,
						.refused = 1};
	table.starts[0] = 0x1000;
	table.starts[1] = 0x2000;
	table.rules[0] = call;
	table.rules[1] = (struct tm_rule){.cfa = TM_CFA_END};
	table.rules[2] = (struct tm_rule){.cfa = TM_CFA_NONE};
	for (uint32_t i = 0; i < TM_UNWIND_TABLE_PAGE; i++) {
		table.pages[0].offsets[i] = (uint16_t)(4 * i);
		table.pages[0].rules[i] = (uint16_t)(i % 2);
		table.pages[1].offsets[i] = i ? TM_UNWIND_TABLE_PAD : 0;
		table.pages[1].rules[i] = 2;
	}
	return 0;
}

static int check(void)
{
	struct tm_unwind_table_view view;

	return tm_unwind_table_check(&view, &table, TABLE_BYTES);
}

static void valid_table_passes(void **state)
{
	struct tm_unwind_table_view view;

	assert_int_equal(tm_unwind_table_check(&view, &table, TABLE_BYTES), 0);
	assert_ptr_equal(view.header, &table.header);
	assert_ptr_equal(view.starts, table.starts);
	assert_ptr_equal(view.rules, table.rules);
	assert_ptr_equal(view.pages, table.pages);
	assert_int_equal(tm_unwind_table_bytes(PAGES, RULES), TABLE_BYTES);
}

static void empty_table_passes(void **state)
{
	struct tm_unwind_table header = {.magic = TM_UNWIND_TABLE_MAGIC};
	struct tm_unwind_table_view view;

	assert_int_equal(tm_unwind_table_check(&view, &header, sizeof(header)), 0);
	assert_null(tm_unwind_table_find(&view, 0));
}

static void other_sizes_are_refused(void **state)
{
	struct tm_unwind_table_view view;

	assert_int_equal(tm_unwind_table_check(&view, &table, TABLE_BYTES - 1), -EBADMSG);
	assert_int_equal(tm_unwind_table_check(&view, &table, TABLE_BYTES + 1), -EBADMSG);
	assert_int_equal(tm_unwind_table_check(&view, &table, 8), -EBADMSG);
	assert_int_equal(tm_unwind_table_check(&view, (uint8_t *)&table + 4, TABLE_BYTES),
			 -EBADMSG);
}

#define refused_with(change)                         \
	do {                                         \
		(void)setup(NULL);                   \
		change;                              \
		assert_int_equal(check(), -EBADMSG); \
	} while (0)

static void invalid_header_is_refused(void **state)
{
	refused_with(table.header.magic++);
	refused_with(table.header.pages++);
	refused_with(table.header.pages = UINT32_MAX);
	refused_with(table.header.rules--);
	refused_with(table.header.rules = UINT32_MAX);
	refused_with(table.header.rows++);
	refused_with(table.header.flags = 2);
	refused_with(table.header.pad = 1);
	refused_with(table.header.refused = 4);
}

static void rows_out_of_order_are_refused(void **state)
{
	refused_with(table.starts[1] = 0x1000);
	refused_with(table.starts[1] = 0x1000 + 4 * 255); /* the offset of the last row before it */
	refused_with(table.starts[0] = 0x3000);
	refused_with(table.pages[0].offsets[0] = 1);
	refused_with(table.pages[0].offsets[9] = table.pages[0].offsets[8]);
	refused_with(table.pages[0].offsets[9] = 1);
	refused_with({
		table.pages[0].offsets[9] = TM_UNWIND_TABLE_PAD;
		table.pages[0].rules[9] = table.pages[0].rules[8];
		table.header.rows--;
	});
	refused_with(table.pages[1].offsets[255] = 5);
	refused_with(table.pages[1].rules[255] = 1);
	refused_with(table.pages[1].rules[0] = 1);
	refused_with({
		table.starts[1] = UINT32_MAX;
		table.pages[1].offsets[1] = 1;
		table.header.rows++;
	});
}

static void rule_beyond_the_rules_is_refused(void **state)
{
	refused_with(table.pages[0].rules[0] = RULES);
	refused_with(table.pages[0].rules[200] = RULES);
	refused_with(memset(table.pages[1].rules, 0xff, sizeof(table.pages[1].rules)));
}

static void unknown_rule_is_refused(void **state)
{
	refused_with(table.rules[0].cfa = TM_CFA_N);
	refused_with(table.rules[0].ra = TM_SAVED_N);
	refused_with(table.rules[0].fp = TM_SAVED_N);
	refused_with(table.rules[0].flags = 8);
	refused_with(table.rules[0].base = TM_UNWIND_TABLE_REGISTERS);
	refused_with(table.rules[0].ra = TM_SAVED_NOWHERE);
	refused_with(table.rules[0].ra = TM_SAVED_SAME);
	refused_with(table.rules[0].ra = TM_SAVED_REGISTER); /* register -8 */
	refused_with(table.rules[1].ra = TM_SAVED_CFA);
	refused_with(table.rules[2].fp = TM_SAVED_SAME);
	refused_with({
		table.rules[0].fp = TM_SAVED_REGISTER;
		table.rules[0].fp_offset = -1;
	});
	refused_with({
		table.rules[0].fp = TM_SAVED_REGISTER;
		table.rules[0].fp_offset = TM_UNWIND_TABLE_REGISTERS;
	});
}

static void row_covers_addresses_up_to_the_next(void **state)
{
	struct tm_unwind_table_view view;

	assert_int_equal(tm_unwind_table_check(&view, &table, TABLE_BYTES), 0);
	assert_null(tm_unwind_table_find(&view, 0));
	assert_null(tm_unwind_table_find(&view, 0xfff));
	for (uint64_t at = 0x1000; at < 0x1400; at++)
		assert_ptr_equal(tm_unwind_table_find(&view, at), &table.rules[at / 4 % 2]);
	assert_ptr_equal(tm_unwind_table_find(&view, 0x1fff), &table.rules[1]);
	assert_ptr_equal(tm_unwind_table_find(&view, 0x2000), &table.rules[2]);
	assert_ptr_equal(tm_unwind_table_find(&view, 0x2000 + TM_UNWIND_TABLE_PAD),
			 &table.rules[2]);
	assert_ptr_equal(tm_unwind_table_find(&view, UINT64_MAX), &table.rules[2]);
}

#define claim(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(valid_table_passes),
		claim(empty_table_passes),
		claim(other_sizes_are_refused),
		claim(invalid_header_is_refused),
		claim(rows_out_of_order_are_refused),
		claim(rule_beyond_the_rules_is_refused),
		claim(unknown_rule_is_refused),
		claim(row_covers_addresses_up_to_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
