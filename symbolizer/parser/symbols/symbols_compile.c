/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols_compile - makes the symbol table of one ELF file from all that names its functions
 */

#include "symbolizer/parser/symbols/symbols_compile.h"

#include <string.h>

#include "symbolizer/parser/elf/build_id.h"
#include "symbolizer/parser/elf/debug_links.h"
#include "symbolizer/parser/elf/htlhash.h"
#include "symbolizer/parser/elf/minidebug.h"
#include "symbolizer/parser/elf/plt.h"
#include "symbolizer/parser/elf/symbol_reader.h"
#include "symbolizer/parser/go/pclntab_symbols.h"
#include "symbolizer/parser/symbols/symbol_blob.h"

struct compilation {
	const struct image_source *source;
	struct image image;
	struct sections sections;
	struct symbol_reader symtab, dynsym, minidebug; /* they own the strings of the names */
	struct pclntab pclntab;
	struct build_id id;
	struct symbol_ranges ranges;
	struct symbol_file file;
};

/* Below the names that there are; a sorted list is made from what was read. */
static int take_list(struct compilation *c, struct symbol_list *list)
{
	struct symbol_ranges chosen = {0};
	int r = symbol_list_sort(list);

	if (!r)
		r = symbol_ranges_choose(&chosen, list, c->file.numbers);
	c->file.numbers += list->count;
	if (!r && !c->ranges.count) {
		symbol_ranges_free(&c->ranges);
		c->ranges = chosen;
		return 0;
	}
	if (!r)
		r = symbol_ranges_fill_gaps(&c->ranges, &chosen);
	symbol_ranges_free(&chosen);
	return r;
}

/* Folds what a part says of itself: only short memory and failed reading end the work. */
static int fold(struct compilation *c, int status)
{
	if (!status || status == PARSER_FAILED)
		return status;
	c->file.header.flags |=
		status == PARSER_TOO_LARGE ? PARSER_SYMBOLS_TRUNCATED : PARSER_SYMBOLS_MALFORMED;
	return 0;
}

/* @flag: is set if there are names. Return: 0, PARSER_FAILED. */
static int read_table(struct compilation *c, struct symbol_reader *reader, uint32_t type,
		      struct symbol_list *list, uint32_t flag)
{
	int r = symbol_reader_read(reader, type, list);

	c->file.header.flags |= (reader->found ? flag : 0) |
				(reader->malformed ? PARSER_SYMBOLS_MALFORMED : 0) |
				(reader->truncated ? PARSER_SYMBOLS_TRUNCATED : 0);
	return r;
}

static int take_symtab(struct compilation *c)
{
	struct symbol_list list = {0};
	int r;

	c->symtab = (struct symbol_reader){.image = &c->image, .source = c->source};
	r = read_table(c, &c->symtab, SHT_SYMTAB, &list, PARSER_SYMBOLS_HAS_SYMTAB);
	if (!r)
		r = take_list(c, &list);
	symbol_list_free(&list);
	return r;
}

/* The symbols of the file in .gnu_debugdata. */
static int read_minidebug(struct compilation *c, struct symbol_list *list)
{
	struct minidebug minidebug;
	struct image_source source;
	struct image image = {0};
	int r = minidebug_open(&minidebug, &c->sections);

	if (!r && minidebug.bytes) {
		source = minidebug_source(&minidebug);
		r = image_open(&image, &source);
		c->minidebug =
			(struct symbol_reader){.image = &image, .source = &source, .number = 1};
		if (!r)
			r = read_table(c, &c->minidebug, SHT_SYMTAB, list,
				       PARSER_SYMBOLS_HAS_MINIDEBUG);
		image_close(&image);
	}
	minidebug_close(&minidebug);
	return fold(c, r);
}

/* What .gnu_debugdata has is what .dynsym lacks: together they are one table. */
static int take_dynsym(struct compilation *c)
{
	struct symbol_list list = {0};
	int r;

	c->dynsym = (struct symbol_reader){.image = &c->image, .source = c->source};
	r = read_table(c, &c->dynsym, SHT_DYNSYM, &list, PARSER_SYMBOLS_HAS_DYNSYM);
	if (!r)
		r = read_minidebug(c, &list);
	if (!r)
		r = take_list(c, &list);
	symbol_list_free(&list);
	return r;
}

static int take_plt(struct compilation *c)
{
	struct symbol_list list = {.sources = {c->dynsym.strings, c->symtab.strings}};
	int r = fold(c, plt_read(&c->sections, &c->ranges, &list));

	if (list.count)
		c->file.header.flags |= PARSER_SYMBOLS_HAS_PLT;
	list.flags = SYMBOL_RANGE_PLT;
	if (!r)
		r = take_list(c, &list);
	symbol_list_free(&list);
	return r;
}

static int take_pclntab(struct compilation *c)
{
	struct symbol_list list = {0};
	int r = pclntab_open(&c->pclntab, &c->sections);

	if (r)
		return fold(c, r);
	r = pclntab_symbols_read(&c->pclntab, &list);
	if (list.count)
		c->file.header.flags |=
			PARSER_SYMBOLS_HAS_PCLNTAB |
			(c->pclntab.version >= PCLNTAB_1_16 ? PARSER_SYMBOLS_HAS_GO_LINES : 0);
	if (!r)
		r = take_list(c, &list);
	symbol_list_free(&list);
	return r;
}

static int read_links(struct compilation *c)
{
	struct parser_symbol_table *header = &c->file.header;
	struct debug_links links;
	int r = fold(c, debug_links_read(&links, &c->sections));

	c->file.debuglink = links.debuglink;
	c->file.altlink = links.altlink;
	header->debuglink_crc = links.debuglink_crc;
	header->altlink_build_id_bytes = links.altlink_build_id_bytes;
	if (links.altlink_build_id_bytes)
		memcpy(header->altlink_build_id, links.altlink_build_id,
		       links.altlink_build_id_bytes);
	header->flags |= links.malformed ? PARSER_SYMBOLS_MALFORMED : 0;
	if (sections_header(&c->sections, ".debug_info") &&
	    sections_header(&c->sections, ".debug_line"))
		header->flags |= PARSER_SYMBOLS_HAS_DWARF;
	return r;
}

static int read_ids(struct compilation *c)
{
	struct parser_symbol_table *header = &c->file.header;
	int r = fold(c, build_id_read(&c->id, &c->sections));

	memcpy(header->build_id, c->id.bytes, c->id.count);
	header->build_id_bytes = c->id.count;
	c->file.go_build_id = c->id.go[0] ? c->id.go : NULL;
	if (r)
		return r;
	header->has_htlhash = 1;
	return htlhash_read(c->source, header->htlhash);
}

/* What is small comes first: the copy of the file has a limit. */
static int read_parts(struct compilation *c)
{
	int r = fold(c, sections_open(&c->sections, &c->image, c->source));

	if (!r)
		r = read_ids(c);
	if (!r)
		r = read_links(c);
	if (!r)
		r = take_symtab(c);
	if (!r)
		r = take_dynsym(c);
	if (!r)
		r = take_plt(c);
	return r ? r : take_pclntab(c);
}

int symbols_compile(struct result_blob *result, const struct image_source *source)
{
	struct compilation c = {.source = source};
	struct parser_symbol_table *header = &c.file.header;
	int r;

	*result = (struct result_blob){0};
	header->magic = PARSER_SYMBOLS_MAGIC;
	r = image_open(&c.image, source);
	if (!r)
		r = read_parts(&c);
	if (!r) {
		header->flags |= c.ranges.truncated ? PARSER_SYMBOLS_TRUNCATED : 0;
		r = symbol_blob_write(result, &c.image, &c.ranges, &c.file);
	}
	symbol_ranges_free(&c.ranges);
	symbol_reader_close(&c.symtab);
	symbol_reader_close(&c.dynsym);
	symbol_reader_close(&c.minidebug);
	image_close(&c.image);
	return r;
}
