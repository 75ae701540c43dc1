/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * abbreviations - which attributes the DIEs of a unit have, in which forms
 *
 * Limits     ABBREVIATIONS_MAX of a unit, ABBREVIATIONS_ATTRIBUTES of all of them together; what
 *            lies behind a contradiction or a limit is left out.
 */

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/dwarf/value_form.h"

#define ABBREVIATIONS_MAX        (1u << 20)
#define ABBREVIATIONS_ATTRIBUTES (1u << 22)

/* The attributes that are read; each DIE has at most one of each. */
enum die_attribute {
	DIE_SIBLING,
	DIE_NAME,
	DIE_LINKAGE_NAME,
	DIE_ORIGIN,
	DIE_SPECIFICATION,
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_RANGES,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECL_LINE,
	DIE_LANGUAGE,
	DIE_COMP_DIR,
	DIE_STMT_LIST,
	DIE_STR_OFFSETS_BASE,
	DIE_ADDR_BASE,
	DIE_RNGLISTS_BASE,
	DIE_DWO_NAME,
	DIE_ATTRIBUTES,
};

struct attribute {
	uint16_t form;
	uint8_t slot;     /* enum die_attribute; DIE_ATTRIBUTES: it is not read */
	int8_t bytes;     /* of its values; -1: they vary */
	int64_t implicit; /* value of DW_FORM_implicit_const */
};

struct abbreviation {
	uint64_t code;
	uint32_t first; /* attribute */
	uint32_t count;
	int32_t bytes;      /* of the attributes; -1: they vary */
	int32_t sibling_at; /* bytes before DIE_SIBLING; -1: they vary, or it has none */
	uint16_t sibling_form;
	uint16_t tag;
	bool has_children;
};

struct abbreviations {
	struct abbreviation *list;    /* owned; ascending codes */
	struct attribute *attributes; /* owned */
	uint32_t count, capacity, attribute_count, attribute_capacity;
};

/* Reads until the end of the list, or until the one of @last_code; 0: there is no such code.
 * Return: 0, PARSER_FAILED. */
int abbreviations_read(struct abbreviations *abbreviations, struct cursor *cursor,
		       const struct value_sizes *sizes, uint64_t last_code);
/* NULL: no such code. */
const struct abbreviation *abbreviations_find(const struct abbreviations *abbreviations,
					      uint64_t code);
void abbreviations_free(struct abbreviations *abbreviations);
