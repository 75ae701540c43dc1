/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_file - opens the DWARF of a file: its own, or that of its separate debug files
 */

#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/elf/build_id.h"

/* Where bytes come from; all borrowed. */
struct debug_sources {
	const struct image_source *file;
	const struct image_source *debug;     /* the separate debug file; NULL: there is none */
	const struct image_source *alternate; /* the one that several share (dwz); NULL: none */
};

struct debug_file {
	struct debug_sections sections;
	struct debug_sections alternate; /* empty without one */
	bool lacks_alternate;            /* what it refers to is in a file that was not given */
	struct build_id id;              /* of the file that has the sections */
};

/* Return: as debug_sections_open(), or image_open(); PARSER_REFUSED: the build id of the separate
 * file is not that of the file, or that of the alternate one is not the one that is asked for. */
int debug_file_open(struct debug_file *debug, const struct debug_sources *sources);
void debug_file_close(struct debug_file *debug);
