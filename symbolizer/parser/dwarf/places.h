/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * places - the requested addresses, and which of them the ranges of a DIE hold
 */

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct places {
	const uint64_t *vaddrs; /* borrowed; ascending */
	uint32_t count;
};

typedef void (*places_fn)(void *context, uint32_t place);

/* Calls @take for each place that the DIE's ranges hold. Ranges at 0 are of functions that the
 * linker has discarded. Return: whether there was such a place. @ret_has_ranges: NULL, or whether
 * the DIE has ranges at all. */
bool places_in_die(const struct places *places, Dwarf_Die *die, places_fn take, void *context,
		   bool *ret_has_ranges);
