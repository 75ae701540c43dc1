/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_writer - gathers rows in the order of their offsets and makes the table of shared/unwind_table.h
 */

#include "symbolizer/parser/table_writer.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

#define FIRST_PAGES 16u
#define FIRST_RULES 64u

static const struct tm_rule nothing = {.cfa = TM_CFA_NONE};

static uint32_t hash(const struct tm_rule *rule)
{
	uint64_t words[2], mixed;

	memcpy(words, rule, sizeof(words));
	mixed = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(mixed >> 40);
}

/* Where the rule is, or a free slot for it. */
static uint32_t slot_of(const struct table_writer *make, const struct tm_rule *rule)
{
	uint32_t slots = 2 * make->rule_room, at = hash(rule) % slots;

	while (make->slots[at] &&
	       memcmp(&make->rules[make->slots[at] - 1], rule, sizeof(*rule)) != 0)
		at = (at + 1) % slots;
	return at;
}

static int grow_rules(struct table_writer *make)
{
	uint32_t room = make->rule_room ? 2 * make->rule_room : FIRST_RULES;
	void *rules = reallocarray(make->rules, room, sizeof(*make->rules));
	void *uses, *slots;

	if (!rules)
		return PARSER_FAILED;
	make->rules = rules;
	uses = reallocarray(make->uses, room, sizeof(*make->uses));
	if (!uses)
		return PARSER_FAILED;
	make->uses = uses;
	slots = calloc(2ull * room, sizeof(*make->slots));
	if (!slots)
		return PARSER_FAILED;
	free(make->slots);
	make->slots = slots;
	make->rule_room = room;
	for (uint32_t i = 0; i < make->rule_count; i++)
		make->slots[slot_of(make, &make->rules[i])] = i + 1;
	return 0;
}

int table_writer_open(struct table_writer *make)
{
	*make = (struct table_writer){0};
	return grow_rules(make);
}

/* The rule's number; when the table is full that of nothing known. */
static int number_of(struct table_writer *make, const struct tm_rule *rule, uint32_t *ret_number)
{
	uint32_t at = slot_of(make, rule);

	/* One place is kept for the rule that stands for those without a place. */
	if (!make->slots[at] && make->rule_count >= TM_UNWIND_TABLE_RULES_MAX - 1 &&
	    rule->cfa != TM_CFA_NONE) {
		make->cut = 1;
		rule = &nothing;
		at = slot_of(make, rule);
	}
	if (!make->slots[at]) {
		if (make->rule_count == make->rule_room) {
			if (grow_rules(make))
				return PARSER_FAILED;
			at = slot_of(make, rule);
		}
		make->rules[make->rule_count] = *rule;
		make->uses[make->rule_count] = 0;
		make->slots[at] = ++make->rule_count;
	}
	*ret_number = make->slots[at] - 1;
	return 0;
}

static int begin_page(struct table_writer *make, uint32_t start)
{
	uint32_t room = make->page_room ? 2 * make->page_room : FIRST_PAGES;
	void *grown;

	if (make->page_count == make->page_room) {
		grown = reallocarray(make->pages, room, sizeof(*make->pages));
		if (!grown)
			return PARSER_FAILED;
		make->pages = grown;
		grown = reallocarray(make->starts, room, sizeof(*make->starts));
		if (!grown)
			return PARSER_FAILED;
		make->starts = grown;
		make->page_room = room;
	}
	make->starts[make->page_count++] = start;
	make->in_page = 0;
	return 0;
}

static void pad_page(struct table_writer *make)
{
	struct tm_unwind_table_page *page;

	if (!make->page_count)
		return;
	page = &make->pages[make->page_count - 1];
	for (uint32_t i = make->in_page; i < TM_UNWIND_TABLE_PAGE; i++) {
		page->offsets[i] = TM_UNWIND_TABLE_PAD;
		page->rules[i] = (uint16_t)make->last;
	}
}

static void put_row(struct table_writer *make, uint32_t distance, uint32_t rule)
{
	struct tm_unwind_table_page *page = &make->pages[make->page_count - 1];

	page->offsets[make->in_page] = (uint16_t)distance;
	page->rules[make->in_page++] = (uint16_t)rule;
	make->rows++;
}

static void replace_last(struct table_writer *make, uint32_t rule)
{
	make->pages[make->page_count - 1].rules[make->in_page - 1] = (uint16_t)rule;
	make->uses[make->last]--;
	make->uses[rule]++;
	make->last = rule;
}

static int needs_page(const struct table_writer *make, uint64_t offset)
{
	return !make->page_count || make->in_page == TM_UNWIND_TABLE_PAGE ||
	       offset - make->starts[make->page_count - 1] >= TM_UNWIND_TABLE_PAD;
}

int table_writer_put(struct table_writer *make, uint64_t offset, const struct tm_rule *rule)
{
	uint32_t number;
	int r;

	if (offset > UINT32_MAX || (make->rows && offset < make->last_offset) || make->full)
		return 0;
	if (!make->rows && rule->cfa == TM_CFA_NONE)
		return 0; /* as it is before the first row anyway */
	/* The last page says that nothing is known from there on. */
	make->full = make->page_count == TM_UNWIND_TABLE_PAGES_MAX - 1 && needs_page(make, offset);
	make->cut |= make->full;
	r = number_of(make, make->full ? &nothing : rule, &number);
	if (r || (make->rows && number == make->last))
		return r;
	if (make->rows && offset == make->last_offset) {
		replace_last(make, number);
		return 0;
	}
	if (needs_page(make, offset)) {
		pad_page(make);
		r = begin_page(make, (uint32_t)offset);
		if (r)
			return r;
	}
	put_row(make, (uint32_t)offset - make->starts[make->page_count - 1], number);
	make->uses[number]++;
	make->last = number;
	make->last_offset = offset;
	return 0;
}

struct ranked {
	uint32_t uses;
	uint32_t number;
};

static int more_uses(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Copies the rules, most used first; @to_new: from old number to new. */
static int rank_rules(const struct table_writer *make, struct tm_rule *rules, uint16_t *to_new)
{
	struct ranked *ranked = calloc(make->rule_count + 1ull, sizeof(*ranked));

	if (!ranked)
		return PARSER_FAILED;
	for (uint32_t i = 0; i < make->rule_count; i++)
		ranked[i] = (struct ranked){make->uses[i], i};
	qsort(ranked, make->rule_count, sizeof(*ranked), more_uses);
	for (uint32_t i = 0; i < make->rule_count; i++) {
		rules[i] = make->rules[ranked[i].number];
		to_new[ranked[i].number] = (uint16_t)i;
	}
	free(ranked);
	return 0;
}

static void copy_pages(const struct table_writer *make, struct tm_unwind_table_page *pages,
		       const uint16_t *to_new)
{
	for (uint32_t i = 0; i < make->page_count; i++) {
		memcpy(pages[i].offsets, make->pages[i].offsets, sizeof(pages[i].offsets));
		for (uint32_t j = 0; j < TM_UNWIND_TABLE_PAGE; j++)
			pages[i].rules[j] = to_new[make->pages[i].rules[j]];
	}
}

int table_writer_finish(struct table_writer *make, const struct tm_unwind_table *header,
			void **ret_blob, uint64_t *ret_bytes)
{
	uint64_t bytes = tm_unwind_table_bytes(make->page_count, make->rule_count);
	uint16_t *to_new = calloc(make->rule_count + 1ull, sizeof(*to_new));
	struct tm_unwind_table *blob = calloc(1, bytes);
	struct tm_rule *rules;
	int r = PARSER_FAILED;

	if (to_new && blob) {
		pad_page(make);
		*blob = *header;
		blob->pages = make->page_count;
		blob->rules = make->rule_count;
		blob->rows = make->rows;
		blob->flags |= make->cut ? TM_UNWIND_TABLE_CUT : 0;
		if (make->page_count)
			memcpy(blob + 1, make->starts, make->page_count * sizeof(*make->starts));
		rules = (void *)((uint8_t *)(blob + 1) + ((make->page_count * 4ull + 7) & ~7ull));
		r = rank_rules(make, rules, to_new);
	}
	if (!r) {
		copy_pages(make, (void *)(rules + make->rule_count), to_new);
		*ret_blob = blob;
		*ret_bytes = bytes;
		blob = NULL;
	}
	free(blob);
	free(to_new);
	return r;
}

void table_writer_close(struct table_writer *make)
{
	free(make->pages);
	free(make->starts);
	free(make->rules);
	free(make->uses);
	free(make->slots);
	*make = (struct table_writer){0};
}
