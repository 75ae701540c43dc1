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
#define ABBREVIATIONS_NONE       UINT32_MAX

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

/* A walk over DIEs reads DIE_SIBLING and where their code is. Of everything else, it steps over the
 * values of a fixed size that follow each other at once. */
struct abbreviation_step {
	uint32_t skip;      /* bytes */
	uint32_t attribute; /* that follows; ABBREVIATIONS_NONE: none does */
};

struct abbreviation {
	uint64_t code;
	uint32_t first; /* attribute */
	uint32_t count;
	uint32_t first_step;
	uint32_t step_count;
	int32_t bytes;         /* of the attributes; -1: they vary */
	int32_t sibling_at;    /* bytes before DIE_SIBLING; -1: they vary, or it has none */
	uint8_t sibling_bytes; /* of a reference within the unit; 0: it is something else */
	bool has_children;
	bool has_code; /* it has an attribute that says where code is */
	uint16_t tag;
};

struct abbreviations {
	struct abbreviation *list;       /* owned; ascending codes */
	struct attribute *attributes;    /* owned */
	struct abbreviation_step *steps; /* owned */
	uint32_t count, capacity;
	uint32_t attribute_count, attribute_capacity;
	uint32_t step_count, step_capacity;
};

/* Reads the list. @only: the code of the one that is wanted; 0: all are.
 * Return: 0, PARSER_FAILED. */
int abbreviations_read(struct abbreviations *abbreviations, struct cursor *cursor,
		       const struct value_sizes *sizes, uint64_t only);
/* NULL: no such code. */
const struct abbreviation *abbreviations_search(const struct abbreviations *abbreviations,
						uint64_t code);
void abbreviations_free(struct abbreviations *abbreviations);

/* Likewise; compilers count from 1. */
static inline const struct abbreviation *abbreviations_find(
	const struct abbreviations *abbreviations, uint64_t code)
{
	uint64_t at = code - 1;

	return at < abbreviations->count && abbreviations->list[at].code == code
		       ? &abbreviations->list[at]
		       : abbreviations_search(abbreviations, code);
}
