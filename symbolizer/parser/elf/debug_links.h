/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_links - which other files a file names as those with its debug information
 *
 * Format     .gnu_debuglink: a file name, its NUL, zeros up to a multiple of four, a CRC.
 *            .gnu_debugaltlink (of dwz): a path, its NUL, a build id.
 * Trust      what is found is text of the file: whoever opens a file by it must check it.
 */

#include <stdbool.h>

#include "symbolizer/parser/elf/sections.h"

struct debug_links {
	const char *debuglink; /* NUL-terminated, in the image; NULL: none */
	uint32_t debuglink_crc;
	const char *altlink; /* likewise */
	const uint8_t *altlink_build_id;
	uint32_t altlink_build_id_bytes;
	bool malformed; /* one was left out */
};

/* Return: 0, or an enum parser_status. */
int debug_links_read(struct debug_links *links, const struct sections *sections);
