/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_tables - the tables by which HotSpot tells its debugger where fields of its structures lie
 */

#include "symbolizer/parser/java/java_tables.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define NONE UINT32_MAX

/* Where the parts of an entry lie. */
struct form {
	uint32_t bytes;
	uint32_t field, type, is_static, address; /* NONE: the entry has no such part */
	uint32_t number, number_bytes;
};

static const struct form forms[JAVA_TABLES_N] = {
	[JAVA_FIELDS] = {48, 8, 16, 24, 40, 32, 8},
	[JAVA_TYPES] = {40, NONE, NONE, NONE, NONE, 32, 8},
	[JAVA_CONSTANTS] = {16, NONE, NONE, NONE, NONE, 8, 4},
};

static uint64_t part_of(const struct java_data *data, uint64_t vaddr, uint32_t part, uint32_t bytes)
{
	uint64_t number;

	return part != NONE && java_data_read(data, vaddr + part, bytes, &number) ? number : 0;
}

/* Return: false: there is none, or its name is not known. */
static bool read_entry(struct java_entry *entry, const struct java_data *data, uint64_t vaddr,
		       const struct form *form)
{
	*entry = (struct java_entry){
		.name = part_of(data, vaddr, 0, 8),
		.field = part_of(data, vaddr, form->field, 8),
		.type = part_of(data, vaddr, form->type, 8),
		.is_static = part_of(data, vaddr, form->is_static, 4) != 0,
		.address = part_of(data, vaddr, form->address, 8),
	};
	entry->is_known =
		java_data_read(data, vaddr + form->number, form->number_bytes, &entry->number);
	entry->is_stored = java_data_is_stored(data, vaddr + form->number);
	return entry->name != 0;
}

static int read_table(struct java_table_entries *table, const struct java_data *data,
		      uint64_t vaddr, const struct form *form)
{
	struct java_entry entry;

	while (table->count < JAVA_TABLES_ENTRIES_MAX && read_entry(&entry, data, vaddr, form)) {
		void *grown = grow(table->list, table->count, &table->capacity, sizeof(entry));

		if (!grown)
			return PARSER_FAILED;
		table->list = grown;
		table->list[table->count++] = entry;
		vaddr += form->bytes;
	}
	return 0;
}

static void distrust_fields(struct java_table_entries *fields)
{
	bool some_stored = false;

	for (uint32_t i = 0; i < fields->count; i++)
		some_stored |= fields->list[i].is_stored;
	for (uint32_t i = 0; i < fields->count; i++)
		fields->list[i].is_known &= fields->list[i].is_stored || !some_stored;
}

static void widen(uint64_t *low, uint64_t *high, uint64_t vaddr)
{
	if (!vaddr)
		return;
	*low = vaddr < *low ? vaddr : *low;
	*high = vaddr > *high ? vaddr : *high;
}

static int load_names(struct java_tables *tables, const struct sections *sections)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < JAVA_TABLES_N; i++) {
		const struct java_table_entries *table = &tables->tables[i];

		for (uint32_t j = 0; j < table->count; j++) {
			widen(&low, &high, table->list[j].name);
			widen(&low, &high, table->list[j].field);
			widen(&low, &high, table->list[j].type);
		}
	}
	if (high < low || high - low > JAVA_TABLES_NAMES_MAX)
		return 0;
	return sections_load_at(sections, low, high - low + JAVA_TABLES_NAME_MAX, &tables->names);
}

int java_tables_open(struct java_tables *tables, const struct java_data *data,
		     const struct sections *sections, const struct named_symbol *symbols)
{
	int r = 0;

	*tables = (struct java_tables){0};
	for (uint32_t i = 0; !r && i < JAVA_TABLES_N; i++) {
		uint64_t vaddr;

		if (java_data_read(data, symbols[i].vaddr, sizeof(vaddr), &vaddr))
			r = read_table(&tables->tables[i], data, vaddr, &forms[i]);
	}
	distrust_fields(&tables->tables[JAVA_FIELDS]);
	return r ? r : load_names(tables, sections);
}

bool java_tables_is(const struct java_tables *tables, uint64_t vaddr, const char *text)
{
	const struct section *names = &tables->names;
	uint64_t at = vaddr - names->vaddr, bytes = strlen(text) + 1;

	return at < names->size && bytes <= names->size - at &&
	       memcmp(names->bytes + at, text, bytes) == 0;
}

const struct java_entry *java_tables_find(const struct java_tables *tables, enum java_table table,
					  const char *name, const char *field)
{
	const struct java_table_entries *entries = &tables->tables[table];

	for (uint32_t i = 0; i < entries->count; i++) {
		const struct java_entry *entry = &entries->list[i];

		if (java_tables_is(tables, entry->name, name) &&
		    (!field || java_tables_is(tables, entry->field, field)))
			return entry;
	}
	return NULL;
}

void java_tables_close(struct java_tables *tables)
{
	for (uint32_t i = 0; i < JAVA_TABLES_N; i++)
		free(tables->tables[i].list);
	*tables = (struct java_tables){0};
}
