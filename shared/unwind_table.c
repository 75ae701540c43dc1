/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_table - checks an unwind table */

#include "shared/unwind_table.h"

#include <errno.h>
#include <stdbool.h>

static uint64_t starts_bytes(uint32_t pages)
{
	return (pages * 4ull + 7) & ~7ull;
}

uint64_t tm_unwind_table_bytes(uint32_t pages, uint32_t rules)
{
	return sizeof(struct tm_unwind_table) + starts_bytes(pages) +
	       rules * (uint64_t)sizeof(struct tm_rule) +
	       pages * (uint64_t)sizeof(struct tm_unwind_table_page);
}

/* Known kinds, and a return address wherever there is a caller. */
static bool rule_is_valid(struct tm_rule rule)
{
	if (rule.cfa >= TM_CFA_N || rule.ra >= TM_SAVED_N || rule.fp >= TM_SAVED_N ||
	    rule.flags & ~TM_RULE_FLAGS || rule.base >= TM_UNWIND_TABLE_REGISTERS)
		return false;
	if (rule.cfa == TM_CFA_NONE || rule.cfa == TM_CFA_END)
		return rule.ra == TM_SAVED_NOWHERE && rule.fp == TM_SAVED_NOWHERE;
	if (rule.ra == TM_SAVED_NOWHERE || rule.ra == TM_SAVED_SAME ||
	    (rule.flags & TM_RULE_KEPT && rule.cfa != TM_CFA_SP && rule.cfa != TM_CFA_FP))
		return false;
	if (rule.ra == TM_SAVED_REGISTER && (uint16_t)rule.ra_offset >= TM_UNWIND_TABLE_REGISTERS)
		return false;
	return rule.fp != TM_SAVED_REGISTER || (uint32_t)rule.fp_offset < TM_UNWIND_TABLE_REGISTERS;
}

/* Rows first, padding last. Return: number of rows; 0: an invalid page. */
static uint32_t check_page(const struct tm_unwind_table_page *page, uint32_t rules,
			   uint32_t *ret_last)
{
	uint32_t rows = 1, last_rule = page->rules[0];

	*ret_last = 0;
	if (page->offsets[0] != 0 || last_rule >= rules)
		return 0;
	for (uint32_t i = 1; i < TM_UNWIND_TABLE_PAGE; i++) {
		uint32_t offset = page->offsets[i], rule = page->rules[i];

		if (rule >= rules)
			return 0;
		if (offset == TM_UNWIND_TABLE_PAD) {
			if (rule != last_rule)
				return 0;
			continue;
		}
		if (offset <= *ret_last || rows != i)
			return 0;
		*ret_last = offset;
		last_rule = rule;
		rows++;
	}
	return rows;
}

static int check_pages(const struct tm_unwind_table_view *view)
{
	const struct tm_unwind_table header = *view->header;
	uint64_t rows = 0, end = 0;

	for (uint32_t i = 0; i < header.pages; i++) {
		uint32_t start = view->starts[i], last;
		uint32_t found = check_page(&view->pages[i], header.rules, &last);

		if (!found || (i && start <= end))
			return -EBADMSG;
		end = (uint64_t)start + last;
		if (end > UINT32_MAX)
			return -EBADMSG;
		rows += found;
	}
	return rows == header.rows ? 0 : -EBADMSG;
}

static uint64_t runtime_bytes(const struct tm_unwind_table *header)
{
	return header->flags & TM_UNWIND_TABLE_RUNTIME ? TM_UNWIND_TABLE_RUNTIME_BYTES : 0;
}

static bool header_is_valid(const struct tm_unwind_table *header, size_t bytes)
{
	return header->magic == TM_UNWIND_TABLE_MAGIC &&
	       header->pages <= TM_UNWIND_TABLE_PAGES_MAX &&
	       header->rules <= TM_UNWIND_TABLE_RULES_MAX &&
	       !(header->flags & ~TM_UNWIND_TABLE_FLAGS) && !header->pad &&
	       header->refused <= header->frames && (header->pages || !runtime_bytes(header)) &&
	       bytes == tm_unwind_table_bytes(header->pages, header->rules) + runtime_bytes(header);
}

int tm_unwind_table_check(struct tm_unwind_table_view *view, const void *blob, size_t bytes)
{
	const uint8_t *at = blob;
	struct tm_unwind_table_view checked = {.header = blob};

	if (bytes < sizeof(struct tm_unwind_table) || (uintptr_t)blob % 8 ||
	    !header_is_valid(checked.header, bytes))
		return -EBADMSG;
	at += sizeof(struct tm_unwind_table);
	checked.starts = (const void *)at;
	at += starts_bytes(checked.header->pages);
	checked.rules = (const void *)at;
	at += checked.header->rules * sizeof(struct tm_rule);
	checked.pages = (const void *)at;
	for (uint32_t i = 0; i < checked.header->rules; i++)
		if (!rule_is_valid(checked.rules[i]))
			return -EBADMSG;
	if (checked.header->flags & TM_UNWIND_TABLE_RUNTIME)
		checked.runtime = (const void *)(checked.pages + checked.header->pages);
	if (check_pages(&checked) < 0)
		return -EBADMSG;
	*view = checked;
	return 0;
}
