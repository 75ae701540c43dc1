/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * decompress - loads a section and decompresses it if it is compressed
 *
 * Trust      the size in its header is believed up to DECOMPRESS_MAX; no more memory is allocated.
 */

#include "symbolizer/parser/elf/sections.h"

#define DECOMPRESS_MAX (64u << 20) /* decompressed bytes; a larger section counts as absent */

/* Like sections_load(). @ret_owned: memory that the caller frees; NULL for an uncompressed section.
 * Return: 0, or an enum parser_status. */
int decompress_load(const struct sections *sections, const char *name, struct section *ret_section,
		    void **ret_owned);
