/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_ranges - which symbol names each address: disjoint ranges, in the order of addresses
 */

#include "symbolizer/parser/symbols/symbol_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define UNDERSCORES_MAX 8u /* more are as many */

/* A symbol that covers addresses; or none, which has no `name`. */
struct cover {
	const char *name;
	uint64_t end;
	uint32_t symbol;
};

/* The sweep over the symbols: what is emitted ends at `at`. */
struct sweep {
	const struct symbol_list *list;
	uint32_t first; /* number of the first symbol */
	struct symbol_ranges *ranges;
	/* The covers of `at`, and behind it: a later one begins later and ends earlier. */
	struct cover *covers; /* owned */
	uint32_t count, capacity;
	struct cover label;
	uint64_t at;
};

static uint32_t underscores(const char *name)
{
	uint32_t count = 0;

	while (count < UNDERSCORES_MAX && name[count] == '_')
		count++;
	return count;
}

/* Whether symbol @a names the address at which both begin better than symbol @b. */
static bool is_better_alias(const struct symbol_list *list, uint32_t a, uint32_t b)
{
	const struct symbol *left = &list->symbols[a], *right = &list->symbols[b];
	const char *left_name = symbol_list_name(list, a);
	const char *right_name = symbol_list_name(list, b);
	size_t left_length, right_length;

	if (left->is_function != right->is_function)
		return left->is_function;
	if (left->binding != right->binding)
		return left->binding > right->binding;
	if (underscores(left_name) != underscores(right_name))
		return underscores(left_name) < underscores(right_name);
	if (left_name == right_name)
		return false;
	left_length = strnlen(left_name, PARSER_NAME_MAX);
	right_length = strnlen(right_name, PARSER_NAME_MAX);
	if (left_length != right_length)
		return left_length > right_length;
	return memcmp(left_name, right_name, left_length) < 0;
}

static bool joins(const struct symbol_range *a, const struct symbol_range *b)
{
	return a->start + a->bytes == b->start && b->bytes <= UINT32_MAX - a->bytes;
}

int symbol_ranges_add(struct symbol_ranges *ranges, const struct symbol_range *range)
{
	struct symbol_range *last = ranges->count ? &ranges->list[ranges->count - 1] : NULL;
	struct symbol_range *grown;

	if (last && last->symbol == range->symbol && joins(last, range)) {
		last->bytes += range->bytes;
		return 0;
	}
	if (ranges->count >= PARSER_SYMBOLS_MAX) {
		ranges->truncated = true;
		return 0;
	}
	grown = grow(ranges->list, ranges->count, &ranges->capacity, sizeof(*range));
	if (!grown)
		return PARSER_FAILED;
	ranges->list = grown;
	ranges->list[ranges->count++] = *range;
	return 0;
}

/* Names what lies between `at` and @end, as far as @cover does. */
static int emit_one(struct sweep *sweep, const struct cover *cover, uint64_t end)
{
	struct symbol_range range = {.symbol = cover->symbol, .name = cover->name};

	end = cover->end < end ? cover->end : end;
	range.start = sweep->at;
	range.bytes = (uint32_t)(end - sweep->at);
	sweep->at = end;
	return symbol_ranges_add(sweep->ranges, &range);
}

/* Names what lies before @end. */
static int emit(struct sweep *sweep, uint64_t end)
{
	int r = 0;

	while (!r && sweep->at < end) {
		const struct cover *top = sweep->count ? &sweep->covers[sweep->count - 1] : NULL;

		if (top && top->end <= sweep->at)
			sweep->count--;
		else if (top)
			r = emit_one(sweep, top, end);
		else if (sweep->label.name && sweep->at < sweep->label.end)
			r = emit_one(sweep, &sweep->label, end);
		else
			sweep->at = end;
	}
	return r;
}

/* The covers that end no later are never seen again. */
static int cover(struct sweep *sweep, const struct cover *cover)
{
	struct cover *grown;

	while (sweep->count && sweep->covers[sweep->count - 1].end <= cover->end)
		sweep->count--;
	grown = grow(sweep->covers, sweep->count, &sweep->capacity, sizeof(*cover));
	if (!grown)
		return PARSER_FAILED;
	sweep->covers = grown;
	sweep->covers[sweep->count++] = *cover;
	return 0;
}

/* The symbols from @first on that begin at one address. @ret_next: the first that does not. */
static int take_group(struct sweep *sweep, uint32_t first, uint32_t *ret_next)
{
	const struct symbol_list *list = sweep->list;
	uint64_t start = list->symbols[first].start;
	bool is_label = !list->symbols[first].bytes;
	uint32_t best = first, i;
	int r = 0;

	sweep->label = (struct cover){0};
	for (i = first; !r && i < list->count && list->symbols[i].start == start; i++) {
		const struct symbol *symbol = &list->symbols[i];
		struct cover taken = {symbol_list_name(list, i), start + symbol->bytes,
				      (sweep->first + i) | list->flags};

		if (!symbol->bytes && !is_label)
			continue; /* a sized one begins here as well */
		if (i > first && !is_better_alias(list, i, best))
			continue;
		best = i;
		if (!is_label)
			r = cover(sweep, &taken);
		else
			sweep->label =
				(struct cover){taken.name, start + symbol->reach, taken.symbol};
	}
	*ret_next = i;
	return r;
}

int symbol_ranges_choose(struct symbol_ranges *ranges, const struct symbol_list *list,
			 uint32_t first)
{
	struct sweep sweep = {.list = list, .first = first, .ranges = ranges};
	uint32_t next = 0;
	int r = 0;

	while (!r && next < list->count) {
		r = emit(&sweep, list->symbols[next].start);
		if (!r)
			r = take_group(&sweep, next, &next);
	}
	if (!r)
		r = emit(&sweep, UINT64_MAX);
	free(sweep.covers);
	return r;
}

/* Whether the ranges name the same; at most PARSER_NAME_MAX bytes are compared. */
static bool has_same_name(const struct symbol_range *a, const struct symbol_range *b)
{
	return !((a->symbol ^ b->symbol) & SYMBOL_RANGE_PLT) &&
	       strncmp(a->name, b->name, PARSER_NAME_MAX) == 0;
}

/* Adds a range behind one of the other list, which it continues if both have the same name. */
static int add_beside(struct symbol_ranges *to, struct symbol_range range)
{
	const struct symbol_range *last = to->count ? &to->list[to->count - 1] : NULL;

	if (last && joins(last, &range) && has_same_name(last, &range))
		range.symbol = last->symbol;
	return symbol_ranges_add(to, &range);
}

/* Adds of the others, from *@at on, what lies between two ranges. */
static int fill_gap(struct symbol_ranges *to, const struct symbol_ranges *others, uint32_t *at,
		    uint64_t start, uint64_t end)
{
	bool is_first = true;
	int r = 0;

	for (; !r && *at < others->count && others->list[*at].start < end; (*at)++) {
		struct symbol_range part = others->list[*at];
		uint64_t part_end = part.start + part.bytes;
		bool goes_on = part_end > end;

		part_end = goes_on ? end : part_end;
		part.start = start > part.start ? start : part.start;
		if (part.start < part_end) {
			part.bytes = (uint32_t)(part_end - part.start);
			r = is_first ? add_beside(to, part) : symbol_ranges_add(to, &part);
			is_first = false;
		}
		if (goes_on)
			break;
	}
	return r;
}

int symbol_ranges_fill_gaps(struct symbol_ranges *ranges, const struct symbol_ranges *others)
{
	struct symbol_ranges merged = {.truncated = ranges->truncated || others->truncated};
	uint64_t gap = 0; /* where it starts */
	uint32_t at = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < ranges->count; i++) {
		const struct symbol_range *range = &ranges->list[i];
		uint32_t before = merged.count;

		r = fill_gap(&merged, others, &at, gap, range->start);
		if (!r)
			r = merged.count > before ? add_beside(&merged, *range)
						  : symbol_ranges_add(&merged, range);
		gap = range->start + range->bytes;
	}
	if (!r)
		r = fill_gap(&merged, others, &at, gap, UINT64_MAX);
	if (!r) {
		symbol_ranges_free(ranges);
		*ranges = merged;
	} else {
		symbol_ranges_free(&merged);
	}
	return r;
}

void symbol_ranges_free(struct symbol_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct symbol_ranges){0};
}
