/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_cache - the named places of one file, kept beyond the report that asked for them
 */

#include "symbolizer/names/symbol_cache.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/name_table.h"

struct writer {
	struct symbol_cache *symbols; /* NULL: only counts */
	char *texts;
	uint32_t count;
	uint64_t text_bytes;
	const char *last; /* neighbours often have one name */
	uint32_t last_at;
};

static const char *texts_of(const struct symbol_cache *symbols)
{
	return (const char *)&symbols->places[symbols->count];
}

static uint32_t put_text(struct writer *writer, const char *text)
{
	size_t bytes = strlen(text) + 1;

	if (text == writer->last)
		return writer->last_at;
	writer->last = text;
	writer->last_at = (uint32_t)writer->text_bytes;
	if (writer->symbols)
		memcpy(writer->texts + writer->text_bytes, text, bytes);
	writer->text_bytes += bytes;
	return writer->last_at;
}

static void put_place(struct writer *writer, struct symbol_cache_place place, const char *name)
{
	place.name = name ? put_text(writer, name) : SYMBOL_CACHE_NO_NAME;
	if (writer->symbols)
		writer->symbols->places[writer->count] = place;
	writer->count++;
}

static void put_old(struct writer *writer, const struct symbol_cache *old, uint32_t at)
{
	const struct symbol_cache_place *place = &old->places[at];

	put_place(writer, *place,
		  place->name == SYMBOL_CACHE_NO_NAME ? NULL : texts_of(old) + place->name);
}

static void put_new(struct writer *writer, const struct name_table *names,
		    const struct name_table_place *place)
{
	const struct symbol_cache_place kept = {
		.offset = place->key & TM_FRAME_OFFSET_MAX,
		.vaddr = place->vaddr,
		.has_vaddr = place->has_vaddr,
	};

	put_place(writer, kept,
		  place->name == NAME_TABLE_NONE ? NULL : names->strings->items[place->name]);
}

/* Both are sorted by offset. */
static void write_places(struct writer *writer, const struct symbol_cache *old,
			 const struct name_table *names, const struct name_table_file *file)
{
	uint32_t old_count = old ? old->count : 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < file->count; i++) {
		const struct name_table_place *place = &names->places[file->first + i];
		uint64_t offset = place->key & TM_FRAME_OFFSET_MAX;

		while (at < old_count && old->places[at].offset < offset)
			put_old(writer, old, at++);
		if (at < old_count && old->places[at].offset == offset)
			put_old(writer, old, at++);
		else if (place->known)
			put_new(writer, names, place);
	}
	while (at < old_count)
		put_old(writer, old, at++);
}

void symbol_cache_free(struct symbol_cache *symbols, struct budget *budget)
{
	if (!symbols)
		return;
	budget_give(budget, symbols->bytes);
	free(symbols);
}

static void free_of_file(void *context, void *symbols)
{
	struct symbol_cache_store *store = context;

	symbol_cache_free(symbols, &store->budget);
}

void symbol_cache_store_init(struct symbol_cache_store *store, struct files *files)
{
	*store = (struct symbol_cache_store){.files = files, .budget.limit = SYMBOL_CACHE_BYTES};
	files->symbols_free = free_of_file;
	files->symbols_context = store;
}

void symbol_cache_store_deinit(struct symbol_cache_store *store)
{
	symbol_cache_free(store->vdso, &store->budget);
	store->vdso = NULL;
}

uint32_t symbol_cache_recall(const struct symbol_cache *symbols, struct name_table *names,
			     struct name_table_file *file)
{
	uint32_t count = symbols ? symbols->count : 0;
	uint32_t at = 0, found = 0;

	for (uint32_t i = 0; i < file->count && count; i++) {
		struct name_table_place *place = &names->places[file->first + i];
		uint64_t offset = place->key & TM_FRAME_OFFSET_MAX;
		const struct symbol_cache_place *kept;
		const char *name;

		while (at < count && symbols->places[at].offset < offset)
			at++;
		if (at == count || symbols->places[at].offset != offset)
			continue;
		kept = &symbols->places[at];
		name = kept->name == SYMBOL_CACHE_NO_NAME ? NULL : texts_of(symbols) + kept->name;
		place->vaddr = kept->vaddr;
		place->has_vaddr = kept->has_vaddr != 0;
		if (name && strings_add(names->strings, name, strlen(name), &place->name))
			place->name = NAME_TABLE_NONE;
		place->known = 1;
		found++;
	}
	if (symbols) {
		const char *build_id = texts_of(symbols) + symbols->build_id;

		file->vaddr = symbols->vaddr;
		file->offset = symbols->offset;
		file->bytes = symbols->segment_bytes;
		file->has_symbols = symbols->has_symbols;
		(void)strings_add(names->strings, build_id, strlen(build_id), &file->build_id);
	}
	return file->count - found;
}

struct symbol_cache *symbol_cache_unite(const struct symbol_cache *old,
					const struct name_table *names,
					const struct name_table_file *file, struct budget *budget)
{
	struct writer writer = {0};
	struct symbol_cache *symbols;
	uint64_t bytes;

	(void)put_text(&writer, names->strings->items[file->build_id]);
	write_places(&writer, old, names, file);
	bytes = sizeof(*symbols) + writer.count * sizeof(symbols->places[0]) + writer.text_bytes;
	if (budget_take(budget, bytes))
		return NULL;
	symbols = malloc(bytes);
	if (!symbols) {
		budget_give(budget, bytes);
		return NULL;
	}
	*symbols = (struct symbol_cache){
		.bytes = bytes,
		.vaddr = file->vaddr,
		.offset = file->offset,
		.segment_bytes = file->bytes,
		.count = writer.count,
		.has_symbols = file->has_symbols,
	};
	writer = (struct writer){
		.symbols = symbols,
		.texts = (char *)&symbols->places[symbols->count],
	};
	symbols->build_id = put_text(&writer, names->strings->items[file->build_id]);
	write_places(&writer, old, names, file);
	return symbols;
}
