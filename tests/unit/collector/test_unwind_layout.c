/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_layout - a search in the units gives the rule that the original rows give
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/unwind_layout.h"

#define OFFSETS 200000

static uint64_t seed = 88172645463325252ull;

static uint32_t next(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed % below);
}

/* Rows at random distances with random rules; all pages but the last are full. */
static void *make_rows(uint32_t pages, uint32_t rules, struct tm_unwind_table_view *view)
{
	size_t bytes = tm_unwind_table_bytes(pages, rules);
	struct tm_unwind_table *header = calloc(1, bytes);
	uint32_t *starts = (void *)(header + 1);
	struct tm_rule *rule = (void *)((uint8_t *)starts + ((pages * 4ull + 7) & ~7ull));
	struct tm_unwind_table_page *page = (void *)(rule + rules);
	uint32_t at = 1000;

	*header = (struct tm_unwind_table){
		.magic = TM_UNWIND_TABLE_MAGIC, .pages = pages, .rules = rules};
	for (uint32_t i = 0; i < rules; i++)
		rule[i] = (struct tm_rule){
			.cfa = TM_CFA_SP, .ra = TM_SAVED_CFA, .cfa_offset = (int32_t)i};
	for (uint32_t i = 0; i < pages; i++) {
		uint32_t used =
			i + 1 < pages ? TM_UNWIND_TABLE_PAGE : 1 + next(TM_UNWIND_TABLE_PAGE);

		starts[i] = at;
		for (uint32_t row = 0; row < TM_UNWIND_TABLE_PAGE; row++) {
			page[i].offsets[row] = row < used ? (uint16_t)(at - starts[i])
							  : (uint16_t)TM_UNWIND_TABLE_PAD;
			page[i].rules[row] =
				row < used ? (uint16_t)next(rules) : page[i].rules[row - 1];
			at += row < used ? 1 + next(40) : 0;
		}
		header->rows += used;
	}
	assert_int_equal(tm_unwind_table_check(view, header, bytes), 0);
	return header;
}

/* The last entry of a unit that is not above @offset. */
static uint32_t search(const uint32_t *unit, uint64_t offset)
{
	uint32_t at = 0;

	for (uint32_t step = TM_UNWIND_UNIT_STARTS / 2; step; step /= 2)
		if (unit[at + step] <= offset)
			at += step;
	return at;
}

/* Searches as shared/unwind_map.h describes, with nothing but the reference. */
static const struct tm_rule *find(const uint8_t *units, uint64_t reference, uint64_t offset)
{
	uint32_t first = TM_UNWIND_MAP_FIRST(reference), starts = TM_UNWIND_MAP_STARTS(reference);
	const uint8_t *at = units + (size_t)first * TM_UNWIND_UNIT_BYTES;
	const uint8_t *rules;
	const struct tm_unwind_table_page *page;
	uint32_t number = 0, row = 0;
	uint64_t distance;

	if (starts > 1) {
		number = search((const void *)at, offset);
		at += TM_UNWIND_UNIT_BYTES;
	}
	rules = at + (size_t)starts * TM_UNWIND_UNIT_BYTES;
	at += (size_t)number * TM_UNWIND_UNIT_BYTES;
	row = search((const void *)at, offset);
	if (((const uint32_t *)(const void *)at)[row] > offset)
		return NULL;
	distance = offset - ((const uint32_t *)(const void *)at)[row];
	number = number * TM_UNWIND_UNIT_STARTS + row;
	page = (const void *)(rules +
			      (size_t)TM_UNWIND_MAP_RULES(reference) * TM_UNWIND_UNIT_BYTES +
			      (size_t)number * TM_UNWIND_UNIT_BYTES);
	row = 0;
	for (uint32_t step = TM_UNWIND_TABLE_PAGE / 2; step; step /= 2)
		if (page->offsets[row + step] <= distance)
			row += step;
	return (const struct tm_rule *)(const void *)rules + page->rules[row];
}

static void same(uint32_t pages, uint32_t rules)
{
	struct tm_unwind_table_view view;
	void *blob = make_rows(pages, rules, &view);
	struct unwind_layout layout = unwind_layout_of(&view);
	uint32_t end = view.starts[pages - 1] + 20000, first = 3;
	uint8_t *units = malloc((size_t)(first + layout.units) * TM_UNWIND_UNIT_BYTES);

	assert_int_equal(layout.units, layout.top + layout.starts + layout.rules + pages);
	memset(units, 0xaa, (size_t)(first + layout.units) * TM_UNWIND_UNIT_BYTES);
	for (uint32_t i = 0; i < layout.units; i++)
		unwind_layout_write(&layout, i, units + (size_t)(first + i) * TM_UNWIND_UNIT_BYTES);
	for (uint32_t i = 0; i < OFFSETS; i++) {
		uint64_t offset = i < 2000 ? i : next(end);
		const struct tm_rule *want = tm_unwind_table_find(&view, offset);
		const struct tm_rule *got =
			find(units, unwind_layout_reference(&layout, first), offset);

		assert_int_equal(!want, !got);
		if (want)
			assert_memory_equal(want, got, sizeof(*want));
	}
	free(units);
	free(blob);
}

static void units_hold_what_the_table_holds(void **state)
{
	same(1, 1);
	same(2, 63);
	same(TM_UNWIND_UNIT_STARTS - 1, 64);
	same(TM_UNWIND_UNIT_STARTS, 65);
	same(TM_UNWIND_UNIT_STARTS + 1, 500);
	same(3 * TM_UNWIND_UNIT_STARTS + 17, 1000);
}

static void largest_table_has_a_reference(void **state)
{
	const struct tm_unwind_table header = {.pages = TM_UNWIND_TABLE_PAGES_MAX,
					       .rules = TM_UNWIND_TABLE_RULES_MAX};
	const struct tm_unwind_table_view view = {.header = &header};
	struct unwind_layout layout = unwind_layout_of(&view);
	uint32_t last = TM_UNWIND_CHUNKS_MAX * TM_UNWIND_UNITS_CHUNK - 1;
	uint64_t reference = unwind_layout_reference(&layout, last);

	assert_int_equal(TM_UNWIND_MAP_FIRST(reference), last);
	assert_int_equal(TM_UNWIND_MAP_STARTS(reference), layout.starts);
	assert_int_equal(TM_UNWIND_MAP_RULES(reference), layout.rules);
	assert_int_equal(TM_UNWIND_MAP_UNITS(reference), layout.units);
	assert_true(reference < TM_UNWIND_MAP_EMPTY);
}

static void table_without_pages_is_empty(void **state)
{
	const struct tm_unwind_table header = {.rules = 5};
	const struct tm_unwind_table_view view = {.header = &header};
	struct unwind_layout layout = unwind_layout_of(&view);

	assert_int_equal(layout.units, 0);
	assert_true(unwind_layout_reference(&layout, 7) == TM_UNWIND_MAP_EMPTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_hold_what_the_table_holds),
		cmocka_unit_test(largest_table_has_a_reference),
		cmocka_unit_test(table_without_pages_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
