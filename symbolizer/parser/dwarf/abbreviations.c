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

static int add_attribute(struct abbreviations *abbreviations, struct abbreviation *own,
			 const struct attribute *attribute)
{
	struct attribute *grown = grow(abbreviations->attributes, abbreviations->attribute_count,
				       &abbreviations->attribute_capacity, sizeof(*grown));
	int32_t bytes = attribute->bytes;

	if (!grown)
		return PARSER_FAILED;
	abbreviations->attributes = grown;
	grown[abbreviations->attribute_count++] = *attribute;
	own->count++;
	if (attribute->slot == DIE_SIBLING) {
		own->sibling_at = own->bytes;
		own->sibling_form = attribute->form;
	}
	if (bytes < 0 || own->bytes < 0 || own->bytes > INT32_MAX - bytes)
		own->bytes = -1;
	else
		own->bytes += bytes;
	return 0;
}

/* Return: 0, also at a contradiction, which ends the cursor; PARSER_FAILED. */
static int read_attributes(struct abbreviations *abbreviations, struct abbreviation *own,
			   struct cursor *cursor, const struct value_sizes *sizes)
{
	while (!cursor->is_past_end) {
		uint64_t name = cursor_unsigned(cursor), form = cursor_unsigned(cursor);
		struct attribute attribute = {.form = (uint16_t)form, .slot = slot_of(name)};
		int r;

		if (form == DW_FORM_implicit_const)
			attribute.implicit = cursor_signed(cursor);
		if (!name && !form)
			return 0;
		if (form > UINT16_MAX || cursor->is_past_end ||
		    abbreviations->attribute_count == ABBREVIATIONS_ATTRIBUTES)
			break;
		attribute.bytes = (int8_t)value_form_bytes(attribute.form, sizes);
		r = add_attribute(abbreviations, own, &attribute);
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

int abbreviations_read(struct abbreviations *abbreviations, struct cursor *cursor,
		       const struct value_sizes *sizes, uint64_t last_code)
{
	bool is_ascending = true;

	while (abbreviations->count < ABBREVIATIONS_MAX) {
		struct abbreviation own = {.code = cursor_unsigned(cursor), .sibling_at = -1};
		struct abbreviation *grown;
		int r;

		if (!own.code)
			break;
		own.tag = (uint16_t)cursor_unsigned(cursor);
		own.has_children = cursor_byte(cursor) != 0;
		own.first = abbreviations->attribute_count;
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
		if (own.code == last_code)
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

const struct abbreviation *abbreviations_find(const struct abbreviations *abbreviations,
					      uint64_t code)
{
	uint64_t at = code - 1; /* compilers count from 1 */

	if (at >= abbreviations->count || abbreviations->list[at].code != code)
		at = search_first(abbreviations->list, abbreviations->count, code, is_at_or_behind);
	return at < abbreviations->count && abbreviations->list[at].code == code
		       ? &abbreviations->list[at]
		       : NULL;
}

void abbreviations_free(struct abbreviations *abbreviations)
{
	free(abbreviations->list);
	free(abbreviations->attributes);
	*abbreviations = (struct abbreviations){0};
}
