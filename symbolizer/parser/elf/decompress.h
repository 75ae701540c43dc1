/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * decompress - a compressed section, expanded
 *
 * Trust      what it says of its size is believed up to DECOMPRESS_MAX, which is all that is ever set aside.
 */

#include "symbolizer/parser/elf/sections.h"

#define DECOMPRESS_MAX \
	(64u << 20) /* bytes of the expanded section; a larger one is as if it were not there */

/* Like sections_load(), and compressed ones too. @ret_owned: what the caller frees; may be NULL.
 * Return: 0, or an enum parser_status. */
int decompress_load(const struct sections *sections, const char *name, struct section *ret_section,
		    void **ret_owned);
