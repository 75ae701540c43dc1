/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * dwarf - the units of one file's DWARF, of versions 2 to 5
 *
 * Shape      a first pass lists the headers of all units. A unit is opened when it is used, and the
 *            last DWARF_OPEN_UNITS stay so.
 * Trust      everything is hostile; what contradicts itself is left out, and `malformed` says so.
 * Limits     DWARF_UNITS_MAX units.
 */

#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/dwarf/die.h"

#define DWARF_UNITS_MAX  (1u << 18)
#define DWARF_OPEN_UNITS 64u

struct unit_header {
	uint64_t offset, end; /* in .debug_info */
	uint64_t first;       /* DIE */
	uint64_t abbreviations;
	struct value_sizes sizes;
};

struct unit {
	struct unit_header header;
	uint32_t number;
	struct die root;
	uint64_t low_pc;
	uint64_t str_offsets, addr, rnglists; /* where its parts of these sections begin */
	struct abbreviations abbreviations;   /* owned */
};

struct dwarf {
	struct debug_sections sections;
	struct unit_header *units; /* owned */
	uint32_t unit_count, unit_capacity;
	struct unit *open[DWARF_OPEN_UNITS]; /* owned; by number */
	struct dwarf *alternate;             /* borrowed: the file that several share (dwz); NULL */
	bool malformed, truncated;
};

/* Lists the units of @sections, which are closed with it. Return: 0, PARSER_FAILED. */
int dwarf_open(struct dwarf *dwarf, const struct debug_sections *sections);
void dwarf_close(struct dwarf *dwarf);
/* Reads the first DIE of a unit into @unit, without its other abbreviations; what @unit held
 * before is reused. Return: 0; PARSER_MALFORMED, PARSER_FAILED. */
int dwarf_read_root(struct dwarf *dwarf, uint32_t number, struct unit *unit);
/* The unit of that number, open until DWARF_OPEN_UNITS others were; NULL: it cannot be read. */
const struct unit *dwarf_unit(struct dwarf *dwarf, uint32_t number);
/* The unit that holds an offset of .debug_info, likewise. */
const struct unit *dwarf_unit_of(struct dwarf *dwarf, uint64_t offset);

/* A DIE of an open unit. Return: whether it could be read. */
bool dwarf_die(struct dwarf *dwarf, const struct unit *unit, uint64_t offset, struct die *ret_die);
/* The string that a value of @unit means; NULL: none. */
const char *dwarf_string(struct dwarf *dwarf, const struct unit *unit,
			 const struct attribute_value *value);
/* The address that a value of @unit means. Return: whether it means one. */
bool dwarf_address(struct dwarf *dwarf, const struct unit *unit,
		   const struct attribute_value *value, uint64_t *ret_address);
/* Where the DIE is that a value of @unit refers to, in *ret_dwarf. Return: whether it is there. */
bool dwarf_reference(struct dwarf *dwarf, const struct unit *unit,
		     const struct attribute_value *value, struct dwarf **ret_dwarf,
		     uint64_t *ret_offset);
