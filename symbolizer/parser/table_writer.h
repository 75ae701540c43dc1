/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_writer - gathers rows in the order of their offsets and makes the table of shared/unwind_table.h
 *
 * A row that says what the one before it says is left out. The rules that most rows have come first in
 * the table, so that they share cache lines.
 */

#include "shared/unwind_table.h"

struct table_writer {
	struct tm_unwind_table_page *pages; /* owned */
	uint32_t *starts;                   /* owned; of each page */
	struct tm_rule *rules;              /* owned */
	uint32_t *uses;                     /* owned; rows of each rule */
	uint32_t *slots;                    /* owned; by hash: a rule's index and one, 0: free */
	uint32_t page_count, page_room;
	uint32_t rule_count, rule_room; /* there are twice as many slots as room */
	uint32_t in_page;               /* rows of the last page */
	uint32_t rows;
	uint32_t last;        /* rule of the last row */
	uint64_t last_offset; /* of the last row */
	uint8_t cut;          /* a limit was met */
	uint8_t full;         /* that of the pages: no row is taken any more */
};

/* Return: 0, PARSER_FAILED (memory). */
int table_writer_open(struct table_writer *make);
/* From @offset on: this rule. At the last row's offset it takes that one's place; an offset before it
 * is passed over. Return: 0, PARSER_FAILED (memory). */
int table_writer_put(struct table_writer *make, uint64_t offset, const struct tm_rule *rule);
/* The whole table, owned by the caller; @header's counts of pages, rules and rows are set.
 * Return: 0, PARSER_FAILED (memory). */
int table_writer_finish(struct table_writer *make, const struct tm_unwind_table *header,
			void **ret_blob, uint64_t *ret_bytes);
void table_writer_close(struct table_writer *make);
