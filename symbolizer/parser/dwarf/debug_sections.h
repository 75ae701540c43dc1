/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_sections - copies the DWARF sections of a file, inflated, into an ELF image of their own
 *
 * Why        libdw inflates what is compressed itself, without a limit and without zstd, and opens
 *            the files that a section names. Here it sees only the sections that functions and
 *            lines are read from, under headers that this module wrote.
 * Limits     DEBUG_SECTIONS_MAX bytes, inflated.
 */

#include <stdbool.h>

#include "symbolizer/parser/elf/sections.h"

#define DEBUG_SECTIONS_MAX (1ull << 30)

struct debug_sections {
	uint8_t *image; /* owned mapping of `bytes`: an ELF file; NULL: there is no .debug_info */
	uint64_t bytes;
	bool has_alternate; /* parts of it are in a file that several share (dwz) */
	bool malformed;     /* a section could not be inflated and is empty */
};

/* Return: 0; PARSER_TOO_LARGE: more than the limit; PARSER_FAILED. */
int debug_sections_open(struct debug_sections *debug, const struct sections *sections);
void debug_sections_close(struct debug_sections *debug);
