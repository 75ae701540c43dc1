/* SPDX-License-Identifier: Apache-2.0 */
/* java_tables - the tables of a loaded libjvm.so that say where the fields of its structures lie */

#include "tests/integration/programs/java_tables.h"

#include <dlfcn.h>
#include <string.h>

/* As share/runtime/vmStructs.hpp has them; their layout is that of all versions. */
struct field {
	const char *type, *name, *of_type;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

struct type {
	const char *name, *super;
	int32_t is_oop, is_integer, is_unsigned;
	uint64_t bytes;
};

static const struct field *fields;
static const struct type *types;

bool java_tables_open(void *library)
{
	const struct field **all_fields = dlsym(library, "gHotSpotVMStructs");
	const struct type **all_types = dlsym(library, "gHotSpotVMTypes");

	fields = all_fields ? *all_fields : NULL;
	types = all_types ? *all_types : NULL;
	return fields && types;
}

static const struct field *find(const char *type, const char *name)
{
	for (const struct field *field = fields; field->type; field++)
		if (strcmp(field->type, type) == 0 && strcmp(field->name, name) == 0)
			return field;
	return NULL;
}

bool java_has(const char *type, const char *field)
{
	return find(type, field) != NULL;
}

size_t java_offset(const char *type, const char *field)
{
	const struct field *found = find(type, field);

	return found ? found->offset : 0;
}

void *java_static(const char *type, const char *field)
{
	const struct field *found = find(type, field);

	return found ? found->address : NULL;
}

size_t java_size(const char *type)
{
	for (const struct type *at = types; at->name; at++)
		if (strcmp(at->name, type) == 0)
			return at->bytes;
	return 0;
}

int java_version(void)
{
	const int *version = java_static("Abstract_VM_Version", "_vm_major_version");

	return version ? *version : 8;
}

static size_t width(const char *type)
{
	static const struct {
		const char *name;
		size_t bytes;
	} known[] = {{"bool", 1},     {"char", 1},    {"u2", 2},
		     {"uint16_t", 2}, {"int16_t", 2}, {"unsigned short", 2},
		     {"u4", 4},       {"int", 4},     {"unsigned int", 4}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(type, known[i].name) == 0)
			return known[i].bytes;
	return 8;
}

void java_set(void *structure, const char *type, const char *field, uint64_t value)
{
	const struct field *found = find(type, field);

	if (found)
		memcpy((uint8_t *)structure + found->offset, &value, width(found->of_type));
}
