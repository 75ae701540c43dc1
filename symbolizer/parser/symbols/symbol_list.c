/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_list - the symbols of one table, as they were read, before one is chosen for each address
 */

#include "symbolizer/parser/symbols/symbol_list.h"

#include <stdlib.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define DIGIT_BITS   11u
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define BYTES_DIGITS 3u /* of 32 bits */
#define START_DIGITS 6u /* of 64 bits */
#define DIGITS       (BYTES_DIGITS + START_DIGITS)

int symbol_list_add(struct symbol_list *list, const struct symbol *symbol)
{
	struct symbol *grown;

	if (list->count >= SYMBOL_LIST_MAX) {
		list->truncated = true;
		return 0;
	}
	grown = grow(list->symbols, list->count, &list->capacity, sizeof(*symbol));
	if (!grown)
		return PARSER_FAILED;
	list->symbols = grown;
	list->symbols[list->count++] = *symbol;
	return 0;
}

/* Digit 0 weighs least: those of the bytes, falling, stand below those of the start. */
static uint32_t digit(const struct symbol *symbol, uint32_t number)
{
	uint64_t key = symbol->start;

	if (number < BYTES_DIGITS)
		key = ~symbol->bytes;
	else
		number -= BYTES_DIGITS;
	return (uint32_t)(key >> (number * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* Each count becomes the index of the first symbol with that digit. */
static void sum_up(uint32_t *counts)
{
	uint32_t sum = 0;

	for (uint32_t value = 0; value < DIGIT_VALUES; value++) {
		uint32_t count = counts[value];

		counts[value] = sum;
		sum += count;
	}
}

int symbol_list_sort(struct symbol_list *list)
{
	uint32_t(*counts)[DIGIT_VALUES] = calloc(DIGITS, sizeof(*counts));
	struct symbol *from = list->symbols, *to = calloc(list->count + 1ull, sizeof(*to));

	for (uint32_t i = 0; counts && to && i < list->count; i++)
		for (uint32_t number = 0; number < DIGITS; number++)
			counts[number][digit(&from[i], number)]++;
	for (uint32_t number = 0; counts && to && list->count && number < DIGITS; number++) {
		struct symbol *sorted = to;

		if (counts[number][digit(from, number)] == list->count)
			continue; /* it is the same in all */
		sum_up(counts[number]);
		for (uint32_t i = 0; i < list->count; i++)
			sorted[counts[number][digit(&from[i], number)]++] = from[i];
		to = from;
		from = sorted;
	}
	if (!counts || !to) {
		free(counts);
		free(to);
		return PARSER_FAILED;
	}
	if (from != list->symbols)
		list->capacity = list->count + 1;
	list->symbols = from;
	free(counts);
	free(to);
	return 0;
}

void symbol_list_free(struct symbol_list *list)
{
	free(list->symbols);
	*list = (struct symbol_list){0};
}
