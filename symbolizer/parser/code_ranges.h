/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_ranges - which ranges of a file's code some source describes, and where in that source
 *
 * A source is Go's pclntab, .eh_frame, .debug_frame, or the built-in rules for well-known code. In
 * this order: where two sources describe one place, the earlier is believed. Where two ranges of
 * one source overlap, the first ends where the second begins.
 */

#include <stdbool.h>

#include "symbolizer/parser/elf/image.h"

#define CODE_RANGES_MAX   (4u << 20) /* of one file */
#define CODE_RANGES_ROOTS 4u

enum code_range_source {
	CODE_RANGE_PCLNTAB,
	CODE_RANGE_EH_FRAME,
	CODE_RANGE_DEBUG_FRAME,
	CODE_RANGE_KNOWN_CODE,
};

struct code_range {
	uint32_t start; /* file offset */
	uint32_t bytes;
	uint32_t cfi_bytes; /* of `cfi` */
	uint32_t index; /* in its source: of the CIE, of the Go function, enum known_code_kind */
	const uint8_t *cfi; /* the FDE's instructions, borrowed from the image */
	uint64_t vaddr;     /* of start */
	uint32_t source;    /* enum code_range_source */
	uint32_t pad;
};

struct code_ranges {
	struct code_range *list; /* owned */
	uint32_t count, capacity;
	uint32_t described;                /* functions met in all sources */
	uint32_t refused;                  /* of those, not understood in whole or in part */
	uint64_t roots[CODE_RANGES_ROOTS]; /* addresses of functions without a caller */
	uint32_t root_count;
	bool truncated; /* a limit was met */
};

/* Adds a range of addresses (its `vaddr` and @bytes), clipped to the file's executable bytes; if
 * none are left, it is not added. Return: 0, PARSER_FAILED (memory). */
int code_ranges_add(struct code_ranges *ranges, const struct image *image,
		    const struct code_range *range, uint64_t bytes);
/* The function at @vaddr is outermost, whatever its source says; only CODE_RANGES_ROOTS are. */
void code_ranges_add_root(struct code_ranges *ranges, uint64_t vaddr);
bool code_ranges_is_root(const struct code_ranges *ranges, uint64_t vaddr);
/* Sorts by start, then by source, then by `cfi`. */
void code_ranges_sort(struct code_ranges *ranges);
/* Return: the bytes of sorted range @index before a later one of its or a better source begins. */
uint64_t code_ranges_own_bytes(const struct code_ranges *ranges, uint32_t index);
void code_ranges_free(struct code_ranges *ranges);
