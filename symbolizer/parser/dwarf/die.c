/* SPDX-License-Identifier: Apache-2.0 */
/*
 * die - the attributes of one debugging information entry that matter for functions and lines
 */

#include "symbolizer/parser/dwarf/die.h"

void die_read(struct die *die, struct cursor *cursor, const struct abbreviations *abbreviations,
	      const struct abbreviation *abbreviation, const struct value_sizes *sizes,
	      const uint8_t *begin)
{
	die->tag = abbreviation->tag;
	die->has_children = abbreviation->has_children;
	die->present = 0;
	for (uint32_t i = 0; i < abbreviation->count; i++) {
		const struct attribute *attribute =
			&abbreviations->attributes[abbreviation->first + i];
		struct attribute_value value;

		if (attribute->slot == DIE_ATTRIBUTES && attribute->bytes >= 0) {
			cursor_skip(cursor, (uint64_t)attribute->bytes);
			continue;
		}
		if (attribute->bytes > 0 && attribute->bytes <= 8)
			value = (struct attribute_value){
				cursor_number(cursor, (uint32_t)attribute->bytes), attribute->form};
		else
			value = value_form_read(cursor, attribute->form, sizes, attribute->implicit,
						begin);
		if (attribute->slot == DIE_ATTRIBUTES)
			continue;
		die->values[attribute->slot] = value;
		die->present |= 1u << attribute->slot;
	}
}

void die_skip(struct cursor *cursor, const struct abbreviations *abbreviations,
	      const struct abbreviation *abbreviation, const struct value_sizes *sizes,
	      struct attribute_value *ret_sibling)
{
	const struct attribute *attribute = abbreviations->attributes + abbreviation->first;

	*ret_sibling = (struct attribute_value){0};
	if (abbreviation->sibling_at >= 0) {
		struct cursor at = *cursor;

		cursor_skip(&at, (uint64_t)abbreviation->sibling_at);
		*ret_sibling =
			value_form_read(&at, abbreviation->sibling_form, sizes, 0, cursor->at);
		return;
	}
	if (abbreviation->bytes >= 0) {
		cursor_skip(cursor, (uint64_t)abbreviation->bytes);
		return;
	}
	for (uint32_t i = 0; i < abbreviation->count; i++, attribute++) {
		struct attribute_value value = value_form_read(cursor, attribute->form, sizes,
							       attribute->implicit, cursor->at);

		if (attribute->slot == DIE_SIBLING)
			*ret_sibling = value;
	}
}
