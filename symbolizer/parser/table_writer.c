/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_writer - gathers rows in the order of their offsets into the table of shared/unwind_table.h
 */

#include "symbolizer/parser/table_writer.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

static const struct tm_rule unknown = {.cfa = TM_CFA_NONE};

static uint32_t hash(const struct tm_rule *rule)
{
	uint64_t words[2], mixed;

	memcpy(words, rule, sizeof(words));
	mixed = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(mixed >> 40);
}

/* The slot of the rule, or a free one for it. */
static uint32_t find_slot(const struct table_writer *writer, const struct tm_rule *rule)
{
	uint32_t slots = 2 * writer->rule_capacity, at = hash(rule) % slots;

	while (writer->slots[at] &&
	       memcmp(&writer->rules[writer->slots[at] - 1].rule, rule, sizeof(*rule)) != 0)
		at = (at + 1) % slots;
	return at;
}

/* Makes space for one rule more. */
static int grow_rules(struct table_writer *writer)
{
	uint32_t capacity = writer->rule_capacity;
	void *rules = grow(writer->rules, writer->rule_count, &capacity, sizeof(*writer->rules));
	void *slots;

	if (!rules)
		return PARSER_FAILED;
	writer->rules = rules;
	if (capacity == writer->rule_capacity)
		return 0;
	slots = calloc(2ull * capacity, sizeof(*writer->slots));
	if (!slots)
		return PARSER_FAILED;
	free(writer->slots);
	writer->slots = slots;
	writer->rule_capacity = capacity;
	for (uint32_t i = 0; i < writer->rule_count; i++)
		writer->slots[find_slot(writer, &writer->rules[i].rule)] = i + 1;
	return 0;
}

int table_writer_open(struct table_writer *writer)
{
	*writer = (struct table_writer){0};
	return grow_rules(writer);
}

/* The number of the rule; if the table has no place for it, that of the unknown rule. */
static int number_of(struct table_writer *writer, const struct tm_rule *rule, uint32_t *ret_number)
{
	uint32_t at = find_slot(writer, rule);

	/* One place is kept for the unknown rule, which replaces those without a place. */
	if (!writer->slots[at] && writer->rule_count >= TM_UNWIND_TABLE_RULES_MAX - 1 &&
	    rule->cfa != TM_CFA_NONE) {
		writer->truncated = true;
		rule = &unknown;
		at = find_slot(writer, rule);
	}
	if (!writer->slots[at]) {
		if (grow_rules(writer))
			return PARSER_FAILED;
		at = find_slot(writer, rule);
		writer->rules[writer->rule_count] = (struct table_writer_rule){*rule, 0};
		writer->slots[at] = ++writer->rule_count;
	}
	*ret_number = writer->slots[at] - 1;
	return 0;
}

static struct table_writer_page *last_page(const struct table_writer *writer)
{
	return &writer->pages[writer->page_count - 1];
}

static int begin_page(struct table_writer *writer, uint32_t start)
{
	void *pages = grow(writer->pages, writer->page_count, &writer->page_capacity,
			   sizeof(*writer->pages));

	if (!pages)
		return PARSER_FAILED;
	writer->pages = pages;
	writer->page_count++;
	last_page(writer)->start = start;
	writer->in_page = 0;
	return 0;
}

static void pad_page(struct table_writer *writer)
{
	struct tm_unwind_table_page *rows;

	if (!writer->page_count)
		return;
	rows = &last_page(writer)->rows;
	for (uint32_t i = writer->in_page; i < TM_UNWIND_TABLE_PAGE; i++) {
		rows->offsets[i] = TM_UNWIND_TABLE_PAD;
		rows->rules[i] = (uint16_t)writer->last;
	}
}

static void add_row(struct table_writer *writer, uint32_t distance, uint32_t rule)
{
	struct tm_unwind_table_page *rows = &last_page(writer)->rows;

	rows->offsets[writer->in_page] = (uint16_t)distance;
	rows->rules[writer->in_page++] = (uint16_t)rule;
	writer->rules[rule].uses++;
	writer->rows++;
}

static void replace_last_row(struct table_writer *writer, uint32_t rule)
{
	last_page(writer)->rows.rules[writer->in_page - 1] = (uint16_t)rule;
	writer->rules[writer->last].uses--;
	writer->rules[rule].uses++;
	writer->last = rule;
}

static bool needs_page(const struct table_writer *writer, uint64_t offset)
{
	return !writer->page_count || writer->in_page == TM_UNWIND_TABLE_PAGE ||
	       offset - last_page(writer)->start >= TM_UNWIND_TABLE_PAD;
}

int table_writer_put(struct table_writer *writer, uint64_t offset, const struct tm_rule *rule)
{
	uint32_t number;
	int r;

	if (offset > UINT32_MAX || (writer->rows && offset < writer->last_offset) ||
	    writer->is_full)
		return 0;
	if (!writer->rows && rule->cfa == TM_CFA_NONE)
		return 0; /* nothing is known before the first row anyway */
	/* The last page says that nothing is known from there on. */
	writer->is_full =
		writer->page_count == TM_UNWIND_TABLE_PAGES_MAX - 1 && needs_page(writer, offset);
	writer->truncated |= writer->is_full;
	r = number_of(writer, writer->is_full ? &unknown : rule, &number);
	if (r || (writer->rows && number == writer->last))
		return r;
	if (writer->rows && offset == writer->last_offset) {
		replace_last_row(writer, number);
		return 0;
	}
	if (needs_page(writer, offset)) {
		pad_page(writer);
		r = begin_page(writer, (uint32_t)offset);
		if (r)
			return r;
	}
	add_row(writer, (uint32_t)offset - last_page(writer)->start, number);
	writer->last = number;
	writer->last_offset = offset;
	return 0;
}

struct ranked {
	uint32_t uses;
	uint32_t number;
};

static int compare_uses(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Copies the rules, most used first. @to_new: from old number to new. */
static int rank_rules(const struct table_writer *writer, struct tm_rule *rules, uint16_t *to_new)
{
	struct ranked *ranked = calloc(writer->rule_count + 1ull, sizeof(*ranked));

	if (!ranked)
		return PARSER_FAILED;
	for (uint32_t i = 0; i < writer->rule_count; i++)
		ranked[i] = (struct ranked){writer->rules[i].uses, i};
	qsort(ranked, writer->rule_count, sizeof(*ranked), compare_uses);
	for (uint32_t i = 0; i < writer->rule_count; i++) {
		rules[i] = writer->rules[ranked[i].number].rule;
		to_new[ranked[i].number] = (uint16_t)i;
	}
	free(ranked);
	return 0;
}

static void copy_pages(const struct table_writer *writer, uint32_t *starts,
		       struct tm_unwind_table_page *pages, const uint16_t *to_new)
{
	for (uint32_t i = 0; i < writer->page_count; i++) {
		const struct tm_unwind_table_page *rows = &writer->pages[i].rows;

		starts[i] = writer->pages[i].start;
		memcpy(pages[i].offsets, rows->offsets, sizeof(rows->offsets));
		for (uint32_t j = 0; j < TM_UNWIND_TABLE_PAGE; j++)
			pages[i].rules[j] = to_new[rows->rules[j]];
	}
}

int table_writer_finish(struct table_writer *writer, const struct tm_unwind_table *header,
			const struct tm_runtime *runtime, void **ret_blob, uint64_t *ret_bytes)
{
	bool has_runtime = runtime->kind && writer->page_count;
	uint64_t pages_end = tm_unwind_table_bytes(writer->page_count, writer->rule_count);
	uint64_t bytes = pages_end + (has_runtime ? TM_UNWIND_TABLE_RUNTIME_BYTES : 0);
	uint16_t *to_new = calloc(writer->rule_count + 1ull, sizeof(*to_new));
	struct tm_unwind_table *blob = calloc(1, bytes);
	struct tm_rule *rules = NULL;
	uint32_t *starts = NULL;
	int r = PARSER_FAILED;

	if (to_new && blob) {
		pad_page(writer);
		*blob = *header;
		blob->pages = writer->page_count;
		blob->rules = writer->rule_count;
		blob->rows = writer->rows;
		blob->flags |= (writer->truncated ? TM_UNWIND_TABLE_CUT : 0) |
			       (has_runtime ? TM_UNWIND_TABLE_RUNTIME : 0);
		starts = (void *)(blob + 1);
		rules = (void *)(starts + ((writer->page_count + 1u) & ~1u));
		r = rank_rules(writer, rules, to_new);
	}
	if (!r) {
		copy_pages(writer, starts, (void *)(rules + writer->rule_count), to_new);
		if (has_runtime)
			memcpy((uint8_t *)blob + pages_end, runtime, sizeof(*runtime));
		*ret_blob = blob;
		*ret_bytes = bytes;
		blob = NULL;
	}
	free(blob);
	free(to_new);
	return r;
}

void table_writer_close(struct table_writer *writer)
{
	free(writer->pages);
	free(writer->rules);
	free(writer->slots);
	*writer = (struct table_writer){0};
}
