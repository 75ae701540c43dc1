/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * die - the attributes of one debugging information entry that matter for functions and lines
 */

#include "symbolizer/parser/dwarf/abbreviations.h"

struct die {
	uint64_t offset; /* in .debug_info */
	uint16_t tag;
	bool has_children;
	uint32_t present;                              /* a bit of each attribute */
	struct attribute_value values[DIE_ATTRIBUTES]; /* undefined where it is not present */
};

/* Reads the attributes that follow the code. @begin: of what string offsets count from. */
void die_read(struct die *die, struct cursor *cursor, const struct abbreviations *abbreviations,
	      const struct abbreviation *abbreviation, const struct value_sizes *sizes,
	      const uint8_t *begin);
/* Likewise, but only DIE_SIBLING and those that say where its code is. */
void die_walk(struct die *die, struct cursor *cursor, const struct abbreviations *abbreviations,
	      const struct abbreviation *abbreviation, const struct value_sizes *sizes);

/* The value of an attribute; NULL: the DIE has none. */
static inline const struct attribute_value *die_value(const struct die *die,
						      enum die_attribute attribute)
{
	return die->present >> attribute & 1 ? &die->values[attribute] : NULL;
}

/* A number up to 32 bits; 0: there is none, or it is larger. */
static inline uint32_t die_number(const struct die *die, enum die_attribute attribute)
{
	const struct attribute_value *value = die_value(die, attribute);

	return value && value->number <= UINT32_MAX ? (uint32_t)value->number : 0;
}
