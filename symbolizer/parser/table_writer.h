/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_writer - gathers rows in the order of their offsets into the table of shared/unwind_table.h
 *
 * A row with the rule of the row before it is left out. The rules that most rows have come first in
 * the table, so that they share cache lines.
 */

#include <stdbool.h>

#include "shared/runtime.h"
#include "shared/unwind_table.h"

struct table_writer_rule {
	struct tm_rule rule;
	uint32_t uses; /* rows with this rule */
};

struct table_writer_page {
	uint32_t start; /* offset of the first row */
	struct tm_unwind_table_page rows;
};

struct table_writer {
	struct table_writer_page *pages; /* owned */
	struct table_writer_rule *rules; /* owned */
	uint32_t *slots;                 /* owned; a hash table of rule numbers + 1, 0: free */
	uint32_t page_count, page_capacity;
	uint32_t rule_count, rule_capacity; /* there are twice as many slots */
	uint32_t in_page;                   /* rows of the last page */
	uint32_t rows;
	uint32_t last;        /* rule of the last row */
	uint64_t last_offset; /* of the last row */
	bool truncated;       /* a limit was met */
	bool is_full;         /* the limit of pages was met: no more rows are taken */
};

/* Return: 0, PARSER_FAILED (memory). */
int table_writer_open(struct table_writer *writer);
/* Adds a row: @rule holds from @offset on. At the last row's offset it replaces that row; an offset
 * before it is ignored. Return: 0, PARSER_FAILED (memory). */
int table_writer_put(struct table_writer *writer, uint64_t offset, const struct tm_rule *rule);
/* Makes the table, owned by the caller; the counts of pages, rules and rows in @header are set.
 * @runtime: what follows the pages, if there are any; its kind is 0: none.
 * Return: 0, PARSER_FAILED (memory). */
int table_writer_finish(struct table_writer *writer, const struct tm_unwind_table *header,
			const struct tm_runtime *runtime, void **ret_blob, uint64_t *ret_bytes);
void table_writer_close(struct table_writer *writer);
