/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_resolve - looks the places of a report up in the symbol tables of their files
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/base/sort.h"
#include "symbolizer/names/name_table.h"

#define FILE_SHIFT    40
#define BUILD_ID_TEXT (2 * PARSER_BUILD_ID_MAX + 1)

struct resolving { /* file by file, place by place in the order of their keys */
	struct name_table *names;
	const struct files *files;
	struct name_table_file *file;
	const struct parser_symbol *last; /* neighbours often have one symbol */
	uint32_t last_name;
};

static int by_key(uint32_t a, uint32_t b, const void *context)
{
	const struct name_table *names = context;

	return sort_by_number(names->places[a].key, names->places[b].key);
}

/* Return: a string; 0: it has no bytes, or there is no memory. */
static uint32_t keep_hex(const struct name_table *names, const uint8_t *bytes, uint32_t count)
{
	static const char digits[] = "0123456789abcdef";
	char text[BUILD_ID_TEXT];
	uint32_t string;
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		text[at++] = digits[bytes[i] >> 4];
		text[at++] = digits[bytes[i] & 15];
	}
	return strings_add(names->strings, text, at, &string) ? 0 : string;
}

static void keep_ids(const struct name_table *names, struct name_table_file *file)
{
	const struct symbol_table *table = &file->pin.table;
	const struct parser_symbol_table *header = table->header;
	const char *go =
		header->go_build_id == PARSER_NO_NAME ? "" : table->names + header->go_build_id;

	file->build_id = keep_hex(names, header->build_id, header->build_id_bytes);
	file->htlhash =
		keep_hex(names, header->htlhash, header->has_htlhash ? PARSER_HTLHASH_BYTES : 0);
	if (strings_add(names->strings, go, strlen(go), &file->go_build_id))
		file->go_build_id = 0;
	file->is_go = (header->flags & PARSER_SYMBOLS_HAS_PCLNTAB) != 0;
}

static void pin_file(struct name_table *names, const struct files *files,
		     struct name_table_file *file)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	const struct file *source =
		file->file == NAME_TABLE_VDSO ? NULL : &files->items[file->file];

	symbol_store_pin(names->store, source ? &source->identity : &vdso, &file->pin);
	if (file->pin.entry != SYMBOL_STORE_NO_ENTRY) {
		file->has_symbols =
			file->pin.table.header->symbol_count > 0 ||
			(file->pin.debug.header && file->pin.debug.header->symbol_count > 0);
		file->pin.reason = file->has_symbols ? TM_UNNAMED_NO_SYMBOL : TM_UNNAMED_NO_SYMBOLS;
		keep_ids(names, file);
	} else if (file->pin.reason == TM_UNNAMED_PENDING && source && !source->opened) {
		file->pin.reason = TM_UNNAMED_NOT_OPENED;
	}
	names->failed +=
		file->pin.reason == TM_UNNAMED_PENDING || file->pin.reason == TM_UNNAMED_NOT_PARSED;
}

/* Return: 0, BUDGET_E_SPENT. */
static int begin_file(struct resolving *resolving, uint32_t index)
{
	struct name_table *names = resolving->names;

	if (budget_grow(names->strings->budget, &names->files, &names->file_capacity,
			names->file_count + 1, sizeof(*names->files)))
		return BUDGET_E_SPENT;
	resolving->file = &names->files[names->file_count++];
	*resolving->file = (struct name_table_file){.file = index};
	resolving->last = NULL;
	pin_file(names, resolving->files, resolving->file);
	return 0;
}

/* The debug file has the names of all functions, and the file itself those of its PLT. */
static const struct parser_symbol *find_symbol(const struct symbol_store_pin *pin, uint64_t vaddr,
					       const char **ret_text)
{
	const struct symbol_table *tables[] = {&pin->debug, &pin->table};
	const struct parser_symbol *symbol = NULL;

	*ret_text = "";
	for (unsigned i = 0; i < 2 && !**ret_text; i++) {
		symbol = tables[i]->header ? symbol_table_find(tables[i], vaddr) : NULL;
		if (symbol)
			*ret_text = symbol_table_name(tables[i], symbol);
	}
	return symbol;
}

static void name_place(struct resolving *resolving, struct name_table_place *place)
{
	const struct symbol_table *table = &resolving->file->pin.table;
	uint64_t offset = place->key & TM_FRAME_OFFSET_MAX;
	const struct parser_segment *segment;
	const struct parser_symbol *symbol;
	const char *text;

	place->reason = (uint8_t)resolving->file->pin.reason;
	segment = table->header ? symbol_table_segment(table, offset) : NULL;
	if (!segment)
		return;
	place->vaddr = symbol_table_vaddr(segment, offset);
	place->has_vaddr = 1;
	symbol = find_symbol(&resolving->file->pin, place->vaddr, &text);
	if (!*text)
		return;
	if (symbol != resolving->last &&
	    strings_add(resolving->names->strings, text, strlen(text), &resolving->last_name)) {
		place->reason = TM_UNNAMED_MEMORY;
		return;
	}
	resolving->last = symbol;
	place->name = resolving->last_name;
}

void name_table_resolve(struct name_table *names, const struct files *files)
{
	struct resolving resolving = {.names = names, .files = files};
	uint32_t *order = sort_new(names->place_count, by_key, names);

	for (uint32_t i = 0; i < names->place_count; i++) {
		struct name_table_place *place = &names->places[order ? order[i] : i];
		uint32_t index = (uint32_t)(place->key >> FILE_SHIFT);

		place->reason = TM_UNNAMED_MEMORY;
		if (!order || ((!resolving.file || resolving.file->file != index) &&
			       begin_file(&resolving, index)))
			continue;
		name_place(&resolving, place);
	}
	free(order);
}

/* Adds the identity of the place's file, once, if its symbols are on their way. @seen: of each
 * file, then of the vDSO. */
static uint32_t add_identity(struct tm_identity *identities, uint32_t count, uint8_t *seen,
			     const struct files *files, uint32_t index)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	uint8_t *at = &seen[index == NAME_TABLE_VDSO ? files->count : index];

	if (*at)
		return count;
	*at = 1;
	if (index == NAME_TABLE_VDSO)
		identities[count++] = vdso;
	else if (files->items[index].opened && files->items[index].identified)
		identities[count++] = files->items[index].identity;
	return count;
}

void name_table_wait(const struct name_table *names, const struct files *files, int64_t timeout_ms)
{
	struct tm_identity *identities = calloc(files->count + 1ull, sizeof(*identities));
	uint8_t *seen = calloc(files->count + 1ull, sizeof(*seen));
	uint32_t count = 0;

	for (uint32_t i = 0; identities && seen && i < names->place_count; i++)
		count = add_identity(identities, count, seen, files,
				     (uint32_t)(names->places[i].key >> FILE_SHIFT));
	if (identities)
		(void)symbol_store_wait(names->store, identities, count, timeout_ms);
	free(seen);
	free(identities);
}
