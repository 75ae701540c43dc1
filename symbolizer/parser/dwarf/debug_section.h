/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_section - the bytes of one DWARF section, of which only what is used is read
 *
 * Shape      a mapping as large as the section (sparse_copy.h). A compressed section is inflated
 *            whole at its first use; of another one, blocks are copied as they are asked for.
 * Trust      an offset is believed only within the section; beyond its end, cursors are empty.
 */

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/dwarf/stored_section.h"
#include "symbolizer/parser/sparse_copy.h"

#define DEBUG_SECTION_BLOCK 4096u
#define DEBUG_SECTION_SMALL (16u << 20) /* bytes: up to there, memory comes in huge pages */

struct debug_section {
	struct stored_section stored;
	const struct image_source *source; /* borrowed */
	uint64_t size;                     /* 0: absent, or it cannot be read */
	struct sparse_copy copy;           /* with a zero behind the section */
	uint8_t *bytes;                    /* of the copy; NULL: not used yet */
	uint8_t *is_loaded;                /* owned; of each block; NULL: all are */
	int status;                        /* 0, PARSER_MALFORMED, PARSER_FAILED */
};

void debug_section_open(struct debug_section *section, const struct stored_section *stored,
			const struct image_source *source);
/* What exists of @bytes at @offset; empty if reading fails, which `status` says. */
struct cursor debug_section_read(struct debug_section *section, uint64_t offset, uint64_t bytes);
/* A NUL-terminated string; NULL: @offset is not in the section. */
const char *debug_section_string(struct debug_section *section, uint64_t offset);
void debug_section_close(struct debug_section *section);
