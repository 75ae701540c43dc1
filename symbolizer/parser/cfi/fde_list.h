/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fde_list - lists the FDEs and CIEs of .eh_frame and .debug_frame
 *
 * An FDE becomes a range of code, whose `index` is that of its CIE.
 *
 * Trust      an FDE that makes no sense costs its own function; a length that makes none, all that
 *            follows. An FDE refers to a CIE that was met in its section, or to none: no offset is
 *            followed. Memory grows with the entries met, never by a number read.
 * Source     DWARF 5, 6.4; Linux Standard Base 5, Core, 10.6.
 */

#include "symbolizer/parser/cfi/entry.h"

#define FDE_LIST_CIES_MAX (1u << 20)

struct cie_list {
	struct cie *list; /* owned */
	uint32_t count, capacity;
};

/* Adds the entries of @section. @ends_at_zero: its end is not known, so an entry of zero length is.
 * Return: 0, PARSER_FAILED (memory). */
int fde_list_collect(struct code_ranges *fdes, struct cie_list *cies, const struct image *image,
		     const struct section *section, enum code_range_source source,
		     bool ends_at_zero);
void fde_list_free_cies(struct cie_list *cies);
