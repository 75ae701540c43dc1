/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stored_section - reads one section into memory of the caller, inflated if it is compressed
 *
 * Forms      as it is; SHF_COMPRESSED with zlib or zstd; the older .zdebug_*, which is zlib.
 * Trust      the inflated size is what the file says: the caller compares it with its own limit
 *            before it provides the memory, and nothing is written beyond it.
 */

#include "symbolizer/parser/elf/sections.h"

enum stored_form {
	STORED_PLAIN,
	STORED_ZLIB,
	STORED_ZSTD
};

struct stored_section {
	enum stored_form form;
	uint64_t offset; /* in the file, behind the header of the compression */
	uint64_t stored; /* bytes there */
	uint64_t bytes;  /* when inflated; 0: absent */
};

/* @name: one that begins with ".debug_". A malformed section counts as absent.
 * Return: 0, or an enum parser_status. */
int stored_section_find(const struct sections *sections, const char *name,
			struct stored_section *ret_section);
/* Fills @to, of `bytes`. Return: 0; PARSER_MALFORMED: it holds fewer or more bytes than it says, or
 * what no library here inflates; PARSER_TOO_LARGE, PARSER_FAILED. */
int stored_section_read(const struct stored_section *section, const struct image_source *source,
			void *to);
