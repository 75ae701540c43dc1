/* SPDX-License-Identifier: Apache-2.0 */
/*
 * die - the attributes of one debugging information entry that matter for functions and lines
 */

#include "symbolizer/parser/dwarf/die.h"

#include "symbolizer/parser/dwarf/constants.h"

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

/* One value that is not stepped over at once. */
static inline void walk_value(struct die *die, struct cursor *cursor,
			      const struct attribute *attribute, const struct value_sizes *sizes)
{
	struct attribute_value value;

	if (attribute->form == DW_FORM_exprloc) {
		cursor_skip(cursor, cursor_unsigned(cursor));
		return;
	}
	if (attribute->bytes > 0 && attribute->bytes <= 8)
		value = (struct attribute_value){cursor_number(cursor, (uint32_t)attribute->bytes),
						 attribute->form};
	else
		value = value_form_read(cursor, attribute->form, sizes, attribute->implicit,
					cursor->at);
	if (attribute->slot == DIE_ATTRIBUTES)
		return;
	die->values[attribute->slot] = value;
	die->present |= 1u << attribute->slot;
}

void die_walk(struct die *die, struct cursor *cursor, const struct abbreviations *abbreviations,
	      const struct abbreviation *abbreviation, const struct value_sizes *sizes)
{
	const struct abbreviation_step *step = abbreviations->steps + abbreviation->first_step;

	die->tag = abbreviation->tag;
	die->has_children = abbreviation->has_children;
	die->present = 0;
	for (uint32_t i = 0; i < abbreviation->step_count; i++) {
		cursor_skip(cursor, step[i].skip);
		if (step[i].attribute != ABBREVIATIONS_NONE)
			walk_value(die, cursor, &abbreviations->attributes[step[i].attribute],
				   sizes);
	}
}
