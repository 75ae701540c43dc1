/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_table - which code lay at an address of one process when, as its parser sealed it
 *
 * The table is read in place: checked once and whole, then searched. Any thread may search it. A
 * version is a code at one span of addresses; its number means nothing in another table.
 */

#include <stddef.h>

#include "symbolizer/parser/parser.h"

#define CODE_TABLE_BYTES_MAX                                                                \
	(sizeof(struct parser_code_table) + PARSER_CODES_MAX * sizeof(struct parser_code) + \
	 PARSER_CODE_SPANS_MAX * sizeof(struct parser_code_span) +                          \
	 PARSER_CODE_VERSIONS_MAX * sizeof(uint32_t) +                                      \
	 PARSER_CODE_LINES_MAX * sizeof(struct parser_code_line) + PARSER_CODE_NAMES_MAX)

#define CODE_TABLE_NONE 0xffffffffu

struct code_table {
	const struct parser_code_table *header; /* NULL: there is none */
	const struct parser_code *codes;
	const struct parser_code_span *spans;
	const uint32_t *versions;
	const struct parser_code_line *lines;
	const char *names;
};

/* Checks what lies at @blob, which is aligned to 8 and stays as it is. *ret_bytes: how long it is;
 * at most @bytes. Return: 0, -EBADMSG. */
int code_table_parse(struct code_table *table, const void *blob, size_t bytes, size_t *ret_bytes);
/*
 * @ktime: 0: not known; then only what has always been there is found. Return: the version that lay
 * at @address then, and *ret_offset in its span; CODE_TABLE_NONE.
 */
uint32_t code_table_find(const struct code_table *table, uint64_t address, uint64_t ktime,
			 uint32_t *ret_offset);
/* Return: the code of @version, and *ret_address of @offset in its span; NULL: it has no such. */
const struct parser_code *code_table_code(const struct code_table *table, uint32_t version,
					  uint32_t offset, uint64_t *ret_address);
/* Return: the line that @address in @code belongs to, NULL. */
const struct parser_code_line *code_table_line(const struct code_table *table,
					       const struct parser_code *code, uint64_t address);
