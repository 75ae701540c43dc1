/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_tables - the tables by which HotSpot tells its debugger where fields of its structures lie
 *
 * Shape      an array of entries each, the last with a name that is 0: of fields, types, constants.
 *            The file has the offsets of all fields, or an initializer stores all of them: where
 *            one is stored, another that is not was not understood, and is not known.
 * Limits     JAVA_TABLES_ENTRIES_MAX: those behind are not read. JAVA_TABLES_NAMES_MAX: names that
 *            spread over more are not found.
 * Source     share/runtime/vmStructs.hpp, the same in each version since 6.
 */

#include "symbolizer/parser/elf/named_symbols.h"
#include "symbolizer/parser/java/java_data.h"

#define JAVA_TABLES_ENTRIES_MAX 8192u      /* of a table */
#define JAVA_TABLES_NAMES_MAX   (4u << 20) /* bytes that the names spread over */
#define JAVA_TABLES_NAME_MAX    256u       /* bytes of a name that are read at most */

enum java_table {
	JAVA_FIELDS,    /* gHotSpotVMStructs */
	JAVA_TYPES,     /* gHotSpotVMTypes */
	JAVA_CONSTANTS, /* gHotSpotVMIntConstants */
	JAVA_TABLES_N,
};

struct java_entry {
	uint64_t name;    /* of the type or constant; address */
	uint64_t field;   /* of a field: its name */
	uint64_t type;    /* of a field; 0: none */
	uint64_t number;  /* a field's offset, a type's bytes, a constant */
	uint64_t address; /* of a static field */
	bool is_known;    /* the number */
	bool is_stored;   /* by an initializer */
	bool is_static;
};

struct java_table_entries {
	struct java_entry *list; /* owned */
	uint32_t count, capacity;
};

struct java_tables {
	struct java_table_entries tables[JAVA_TABLES_N];
	struct section names; /* where all names are */
};

/* Reads the tables; without all three there are no entries. @symbols: the variables that point to
 * them, by enum java_table. Return: 0, or an enum parser_status; to be closed in each case. */
int java_tables_open(struct java_tables *tables, const struct java_data *data,
		     const struct sections *sections, const struct named_symbol *symbols);
/* @field: NULL in the other tables. Return: the first entry of that name, NULL. */
const struct java_entry *java_tables_find(const struct java_tables *tables, enum java_table table,
					  const char *name, const char *field);
/* Whether the text at an address is that one. */
bool java_tables_is(const struct java_tables *tables, uint64_t vaddr, const char *text);
void java_tables_close(struct java_tables *tables);
