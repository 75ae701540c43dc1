/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_ranges - random symbols, beside a choice that looks at all of them for each address
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "shared/parse.h"
#include "symbolizer/parser/symbols/symbol_ranges.h"

#define BASE      0x1000u
#define ADDRESSES 96u
#define SYMBOLS   24u
#define ROUNDS    20000

static const char strings[] = "\0_a\0__b\0c\0d\0long\0even_longer\0d";
static const uint32_t names[] = {1, 4, 8, 10, 12, 17, 29};
static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static void make_list(struct symbol_list *list)
{
	uint32_t count = random_below(SYMBOLS);

	*list = (struct symbol_list){.sources = {{strings, sizeof(strings)}}};
	for (uint32_t i = 0; i < count; i++) {
		struct symbol symbol = {.start = BASE + random_below(ADDRESSES / 2),
					.bytes = random_below(3) ? random_below(ADDRESSES / 3) : 0,
					.name = names[random_below(7)],
					.is_function = random_below(2) != 0,
					.binding = (uint8_t)random_below(3)};

		if (!symbol.bytes && random_below(8))
			symbol.reach = (uint32_t)(BASE + ADDRESSES - 8 - symbol.start);
		assert_int_equal(symbol_list_add(list, &symbol), 0);
	}
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Names may be equal: then the symbols are. */
static bool is_better_alias(const struct symbol *a, const struct symbol *b)
{
	const char *name_a = strings + a->name, *name_b = strings + b->name;

	if (a->is_function != b->is_function)
		return a->is_function;
	if (a->binding != b->binding)
		return a->binding > b->binding;
	if (underscores(name_a) != underscores(name_b))
		return underscores(name_a) < underscores(name_b);
	if (strlen(name_a) != strlen(name_b))
		return strlen(name_a) > strlen(name_b);
	return strcmp(name_a, name_b) < 0;
}

static bool is_later(const struct symbol *a, const struct symbol *b)
{
	if (!b || a->start != b->start)
		return !b || a->start > b->start;
	if (!a->bytes != !b->bytes)
		return a->bytes != 0;
	return is_better_alias(a, b);
}

static const char *expected_at(const struct symbol_list *list, uint64_t vaddr)
{
	const struct symbol *cover = NULL, *last = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct symbol *symbol = &list->symbols[i];

		if (symbol->start > vaddr)
			continue;
		if (vaddr - symbol->start < symbol->bytes && is_later(symbol, cover))
			cover = symbol;
		if (is_later(symbol, last))
			last = symbol;
	}
	if (!cover && last && !last->bytes && vaddr - last->start < last->reach)
		cover = last;
	return cover ? strings + cover->name : NULL;
}

static const char *found_at(const struct symbol_ranges *ranges, uint64_t vaddr)
{
	for (uint32_t i = 0; i < ranges->count; i++)
		if (vaddr >= ranges->list[i].start &&
		    vaddr - ranges->list[i].start < ranges->list[i].bytes)
			return ranges->list[i].name;
	return NULL;
}

static void expect(const struct symbol_ranges *ranges, const struct symbol_list *list,
		   const struct symbol_list *below)
{
	for (uint64_t at = BASE; at < BASE + ADDRESSES; at++) {
		const char *wanted = expected_at(list, at), *found = found_at(ranges, at);

		if (!wanted && below)
			wanted = expected_at(below, at);
		assert_string_equal(found ? found : "", wanted ? wanted : "");
	}
	for (uint32_t i = 1; i < ranges->count; i++)
		assert_true(ranges->list[i - 1].start + ranges->list[i - 1].bytes <=
			    ranges->list[i].start);
}

static void each_address_bears_the_name_that_the_rule_says(void **state)
{
	const char *seed = getenv("TM_SEED"); // NOLINT(concurrency-mt-unsafe)

	if (!seed || tm_parse_number(seed, 1, UINT64_MAX, &random_state))
		random_state = (uintptr_t)&seed ^ 0x5eed;
	print_message("TM_SEED=%" PRIu64 "\n", random_state);
	for (int round = 0; round < ROUNDS; round++) {
		struct symbol_ranges ranges = {0}, others = {0};
		struct symbol_list list, below;

		make_list(&list);
		make_list(&below);
		assert_int_equal(symbol_list_sort(&list), 0);
		assert_int_equal(symbol_list_sort(&below), 0);
		assert_int_equal(symbol_ranges_choose(&ranges, &list, 0), 0);
		assert_int_equal(symbol_ranges_choose(&others, &below, list.count), 0);
		expect(&ranges, &list, NULL);
		assert_int_equal(symbol_ranges_fill_gaps(&ranges, &others), 0);
		expect(&ranges, &list, &below);
		symbol_list_free(&list);
		symbol_list_free(&below);
		symbol_ranges_free(&ranges);
		symbol_ranges_free(&others);
	}
}

static void symbols_are_sorted_by_all_of_their_bits(void **state)
{
	struct symbol_list list = {0};

	for (uint32_t bit = 64; bit > 0; bit--)
		for (uint32_t i = 0; i < 4; i++) {
			const struct symbol symbol = {.start = 1ull << (bit - 1),
						      .bytes = i ? 1u << (10 * i) : UINT32_MAX};

			assert_int_equal(symbol_list_add(&list, &symbol), 0);
		}
	assert_int_equal(symbol_list_sort(&list), 0);
	assert_int_equal(list.count, 256);
	for (uint32_t i = 1; i < list.count; i++)
		assert_true(list.symbols[i - 1].start < list.symbols[i].start ||
			    (list.symbols[i - 1].start == list.symbols[i].start &&
			     list.symbols[i - 1].bytes > list.symbols[i].bytes));
	symbol_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_bears_the_name_that_the_rule_says),
		cmocka_unit_test(symbols_are_sorted_by_all_of_their_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
