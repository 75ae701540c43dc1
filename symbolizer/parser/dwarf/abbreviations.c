/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abbreviations - which attributes the DIEs of a unit have, in which forms
 */

#include "symbolizer/parser/dwarf/abbreviations.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

static uint8_t slot_of(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
		return DIE_SIBLING;
	case DW_AT_name:
		return DIE_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return DIE_LINKAGE_NAME;
	case DW_AT_abstract_origin:
		return DIE_ORIGIN;
	case DW_AT_specification:
		return DIE_SPECIFICATION;
	case DW_AT_low_pc:
		return DIE_LOW_PC;
	case DW_AT_high_pc:
		return DIE_HIGH_PC;
	case DW_AT_ranges:
		return DIE_RANGES;
	case DW_AT_call_file:
		return DIE_CALL_FILE;
	case DW_AT_call_line:
		return DIE_CALL_LINE;
	case DW_AT_decl_line:
		return DIE_DECL_LINE;
	case DW_AT_language:
		return DIE_LANGUAGE;
	case DW_AT_comp_dir:
		return DIE_COMP_DIR;
	case DW_AT_stmt_list:
		return DIE_STMT_LIST;
	case DW_AT_str_offsets_base:
		return DIE_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return DIE_ADDR_BASE;
	case DW_AT_rnglists_base:
		return DIE_RNGLISTS_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return DIE_DWO_NAME;
	default:
		return DIE_ATTRIBUTES;
	}
}

static bool is_walked(uint8_t slot)
{
	return slot == DIE_SIBLING || slot == DIE_LOW_PC || slot == DIE_HIGH_PC ||
	       slot == DIE_RANGES;
}

static int add_step(struct abbreviations *abbreviations, struct abbreviation *own, uint32_t skip,
		    uint32_t attribute)
{
	struct abbreviation_step *grown = grow(abbreviations->steps, abbreviations->step_count,
					       &abbreviations->step_capacity, sizeof(*grown));

	if (!grown)
		return PARSER_FAILED;
	abbreviations->steps = grown;
	grown[abbreviations->step_count++] = (struct abbreviation_step){skip, attribute};
	own->step_count++;
	return 0;
}

/* @skip: bytes since the last step. */
static int step_over(struct abbreviations *abbreviations, struct abbreviation *own,
		     const struct attribute *attribute, uint32_t *skip)
{
	int r;

	/* There are at most ABBREVIATIONS_ATTRIBUTES values: their sum does not wrap. */
	if (attribute->bytes >= 0 && !is_walked(attribute->slot)) {
		*skip += (uint8_t)attribute->bytes;
		return 0;
	}
	r = add_step(abbreviations, own, *skip, abbreviations->attribute_count - 1);
	*skip = 0;
	return r;
}

static uint8_t sibling_bytes(const struct attribute *attribute)
{
	switch (attribute->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		return (uint8_t)attribute->bytes;
	default:
		return 0;
	}
}

static void note_attribute(struct abbreviation *own, const struct attribute *attribute)
{
	int32_t bytes = attribute->bytes;

	own->count++;
	if (attribute->slot == DIE_LOW_PC || attribute->slot == DIE_RANGES)
		own->has_code = true;
	if (attribute->slot == DIE_SIBLING) {
		own->sibling_at = own->bytes;
		own->sibling_bytes = sibling_bytes(attribute);
	}
	if (bytes < 0 || own->bytes < 0)
		own->bytes = -1;
	else
		own->bytes += bytes;
}

static int add_attribute(struct abbreviations *abbreviations, struct abbreviation *own,
			 const struct attribute *attribute, uint32_t *skip)
{
	struct attribute *grown = grow(abbreviations->attributes, abbreviations->attribute_count,
				       &abbreviations->attribute_capacity, sizeof(*grown));

	if (!grown)
		return PARSER_FAILED;
	abbreviations->attributes = grown;
	grown[abbreviations->attribute_count++] = *attribute;
	note_attribute(own, attribute);
	return step_over(abbreviations, own, attribute, skip);
}

/* Return: 0, also at a contradiction, which ends the cursor; PARSER_FAILED. */
static int read_attributes(struct abbreviations *abbreviations, struct abbreviation *own,
			   struct cursor *cursor, const struct value_sizes *sizes)
{
	uint32_t skip = 0;

	while (!cursor->is_past_end) {
		uint64_t name = cursor_unsigned(cursor), form = cursor_unsigned(cursor);
		struct attribute attribute = {.form = (uint16_t)form, .slot = slot_of(name)};
		int r;

		if (form == DW_FORM_implicit_const)
			attribute.implicit = cursor_signed(cursor);
		if (!name && !form)
			return skip ? add_step(abbreviations, own, skip, ABBREVIATIONS_NONE) : 0;
		if (form > UINT16_MAX || cursor->is_past_end ||
		    abbreviations->attribute_count == ABBREVIATIONS_ATTRIBUTES)
			break;
		attribute.bytes = (int8_t)value_form_bytes(attribute.form, sizes);
		r = add_attribute(abbreviations, own, &attribute, &skip);
		if (r)
			return r;
	}
	cursor_skip(cursor, UINT64_MAX);
	return 0;
}

static int compare_codes(const void *a, const void *b)
{
	uint64_t left = ((const struct abbreviation *)a)->code;
	uint64_t right = ((const struct abbreviation *)b)->code;

	return (left > right) - (left < right);
}

/* To the declaration of a code, or to the end of the list. */
static void skip_to(struct cursor *cursor, uint64_t code)
{
	while (!cursor->is_past_end) {
		struct cursor begin = *cursor;
		uint64_t own = cursor_unsigned(cursor), name, form;

		if (!own || own == code) {
			*cursor = begin;
			return;
		}
		(void)cursor_unsigned(cursor); /* its tag, */
		(void)cursor_byte(cursor);     /* and whether it has children */
		do {
			name = cursor_unsigned(cursor);
			form = cursor_unsigned(cursor);
			if (form == DW_FORM_implicit_const)
				(void)cursor_signed(cursor);
		} while ((name || form) && !cursor->is_past_end);
	}
}

int abbreviations_read(struct abbreviations *abbreviations, struct cursor *cursor,
		       const struct value_sizes *sizes, uint64_t only)
{
	bool is_ascending = true;

	if (only)
		skip_to(cursor, only);
	while (abbreviations->count < ABBREVIATIONS_MAX) {
		struct abbreviation own = {.code = cursor_unsigned(cursor), .sibling_at = -1};
		struct abbreviation *grown;
		int r;

		if (!own.code)
			break;
		own.tag = (uint16_t)cursor_unsigned(cursor);
		own.has_children = cursor_byte(cursor) != 0;
		own.first = abbreviations->attribute_count;
		own.first_step = abbreviations->step_count;
		r = read_attributes(abbreviations, &own, cursor, sizes);
		if (r)
			return r;
		if (cursor->is_past_end)
			break;
		grown = grow(abbreviations->list, abbreviations->count, &abbreviations->capacity,
			     sizeof(*grown));
		if (!grown)
			return PARSER_FAILED;
		abbreviations->list = grown;
		if (abbreviations->count)
			is_ascending &= grown[abbreviations->count - 1].code < own.code;
		grown[abbreviations->count++] = own;
		if (own.code == only)
			break;
	}
	if (!is_ascending)
		qsort(abbreviations->list, abbreviations->count, sizeof(*abbreviations->list),
		      compare_codes);
	return 0;
}

static bool is_at_or_behind(const void *list, uint32_t index, uint64_t key)
{
	return ((const struct abbreviation *)list)[index].code >= key;
}

const struct abbreviation *abbreviations_search(const struct abbreviations *abbreviations,
						uint64_t code)
{
	uint32_t at =
		search_first(abbreviations->list, abbreviations->count, code, is_at_or_behind);

	return at < abbreviations->count && abbreviations->list[at].code == code
		       ? &abbreviations->list[at]
		       : NULL;
}

void abbreviations_free(struct abbreviations *abbreviations)
{
	free(abbreviations->list);
	free(abbreviations->attributes);
	free(abbreviations->steps);
	*abbreviations = (struct abbreviations){0};
}
