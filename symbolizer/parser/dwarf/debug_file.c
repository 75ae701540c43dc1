/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file - opens the DWARF of a file: its own, or that of its separate debug files
 */

#include "symbolizer/parser/dwarf/debug_file.h"

#include <string.h>

#include "symbolizer/parser/elf/debug_links.h"

static int read_id(struct build_id *id, const struct sections *sections)
{
	int r = build_id_read(id, sections);

	return r == PARSER_MALFORMED || r == PARSER_TOO_LARGE ? 0 : r;
}

static bool is_same(const struct build_id *id, const uint8_t *bytes, uint32_t count)
{
	return id->count && id->count == count && memcmp(id->bytes, bytes, count) == 0;
}

/* The build id of the file that @sections name as the alternate one; none: they name none. */
static int read_alternate_id(struct build_id *id, const struct sections *sections)
{
	struct debug_links links;
	int r = debug_links_read(&links, sections);

	*id = (struct build_id){.count = links.altlink_build_id_bytes};
	if (!r && id->count)
		memcpy(id->bytes, links.altlink_build_id, id->count);
	return r;
}

struct opened {
	struct image image;
	struct sections sections;
	struct build_id id;
};

static int open_one(struct opened *opened, const struct image_source *source)
{
	int r = image_open(&opened->image, source);

	if (!r)
		r = sections_open(&opened->sections, &opened->image, source);
	return r ? r : read_id(&opened->id, &opened->sections);
}

static int open_alternate(struct debug_file *debug, const struct sections *sections,
			  const struct image_source *source)
{
	struct opened opened = {0};
	struct build_id wanted;
	int r = read_alternate_id(&wanted, sections);

	if (!r)
		r = open_one(&opened, source);
	if (!r && !is_same(&opened.id, wanted.bytes, wanted.count))
		r = PARSER_REFUSED;
	if (!r)
		r = debug_sections_open(&debug->alternate, &opened.sections);
	image_close(&opened.image);
	return r;
}

/* @opened: the file with the DWARF. */
static int open_sections(struct debug_file *debug, const struct opened *opened,
			 const struct image_source *alternate)
{
	int r = debug_sections_open(&debug->sections, &opened->sections);

	debug->id = opened->id;
	debug->lacks_alternate =
		!alternate && sections_header(&opened->sections, ".gnu_debugaltlink");
	return !r && alternate ? open_alternate(debug, &opened->sections, alternate) : r;
}

int debug_file_open(struct debug_file *debug, const struct debug_sources *sources)
{
	struct opened file = {0}, separate = {0};
	int r = open_one(&file, sources->file);

	*debug = (struct debug_file){0};
	if (!r && sources->debug) {
		r = open_one(&separate, sources->debug);
		if (!r && !is_same(&separate.id, file.id.bytes, file.id.count))
			r = PARSER_REFUSED;
	}
	if (!r)
		r = open_sections(debug, sources->debug ? &separate : &file, sources->alternate);
	image_close(&separate.image);
	image_close(&file.image);
	return r;
}

void debug_file_close(struct debug_file *debug)
{
	debug_sections_close(&debug->sections);
	debug_sections_close(&debug->alternate);
}
