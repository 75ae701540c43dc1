/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_runtime - describes the HotSpot that a file contains
 */

#include "symbolizer/parser/java/java_runtime.h"

#include "symbolizer/parser/java/java_layout.h"

#define VERSION_8     8u
#define VERSION_FIRST 9u /* that the file tells */
#define VERSION_LAST  255u
#define VERSION_STUBS 11u /* StubCodeDesc is known of 8, and from here on */

struct search {
	struct java_data data;
	struct java_tables tables;
};

static uint64_t static_field(const struct java_tables *tables, const char *type, const char *field)
{
	const struct java_entry *entry = java_tables_find(tables, JAVA_FIELDS, type, field);

	return entry && entry->is_static ? entry->address : 0;
}

/* Return: 0: not known. */
static uint32_t version_of(const struct search *search, const struct tm_java *java)
{
	uint64_t at = static_field(&search->tables, "Abstract_VM_Version", "_vm_major_version");
	uint64_t version;

	if (java->flags & TM_JAVA_ONE_HEAP)
		return VERSION_8;
	if (!java_data_read(&search->data, at, sizeof(uint32_t), &version) ||
	    version < VERSION_FIRST || version > VERSION_LAST)
		return 0;
	return (uint32_t)version;
}

/* The address of the code less its offset in the file. */
static uint64_t away_of_code(const struct image *image)
{
	for (uint32_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_LOAD && image->segments[i].p_flags & PF_X)
			return image->segments[i].p_vaddr - image->segments[i].p_offset;
	return 0;
}

/* Fields of StubCodeDesc (share/runtime/stubCodeGenerator.hpp): next, group, name, begin, end; in 8
 * an int and its padding come before begin. */
static void take_stubs(struct tm_runtime *runtime, uint64_t list, const struct image *image)
{
	struct tm_java *java = &runtime->java;

	if (!list || (runtime->version != VERSION_8 && runtime->version < VERSION_STUBS))
		return;
	java->stubs = (int64_t)(list - away_of_code(image));
	java->stub_next = 0;
	java->stub_name = 16;
	java->stub_begin = runtime->version == VERSION_8 ? 32 : 24;
	java->stub_end = (uint16_t)(java->stub_begin + 8);
}

/* In the order of their addresses, from the start of the queue: it only grows. */
static void take_codelets(struct tm_java *java, uint64_t queue, const struct image *image)
{
	if (queue && java->queue_codelets != TM_RUNTIME_NONE &&
	    java->codelet_bytes != TM_RUNTIME_NONE && java->codelet_name != TM_RUNTIME_NONE)
		java->codelets = (int64_t)(queue - away_of_code(image));
}

static bool describe(struct tm_runtime *runtime, const struct search *search,
		     const struct image *image)
{
	uint64_t state;

	if (!java_layout_find(&runtime->java, &search->tables))
		return false;
	state = static_field(&search->tables, "CodeCache",
			     runtime->java.flags & TM_JAVA_ONE_HEAP ? "_heap" : "_heaps");
	runtime->version = version_of(search, &runtime->java);
	runtime->state = (int64_t)(state - away_of_code(image));
	take_codelets(&runtime->java, static_field(&search->tables, "AbstractInterpreter", "_code"),
		      image);
	return state && runtime->version;
}

int java_runtime_find(struct tm_runtime *ret_runtime, const struct sections *sections)
{
	struct named_symbol symbols[JAVA_TABLES_N] = {
		[JAVA_FIELDS].name = "gHotSpotVMStructs",
		[JAVA_TYPES].name = "gHotSpotVMTypes",
		[JAVA_CONSTANTS].name = "gHotSpotVMIntConstants",
	};
	struct named_symbol stubs = {.name = "_ZN12StubCodeDesc5_listE"};
	struct tm_runtime runtime = {.kind = TM_RUNTIME_JAVA};
	struct search search = {0};
	int r = named_symbols_read(symbols, JAVA_TABLES_N, sections, SHT_DYNSYM);

	*ret_runtime = (struct tm_runtime){0};
	for (uint32_t i = 0; i < JAVA_TABLES_N; i++)
		if (r || !symbols[i].vaddr)
			return r;
	r = java_data_open(&search.data, sections);
	if (!r)
		r = java_tables_open(&search.tables, &search.data, sections, symbols);
	if (!r && describe(&runtime, &search, sections->image)) {
		r = named_symbols_read(&stubs, 1, sections, SHT_SYMTAB);
		take_stubs(&runtime, stubs.vaddr, sections->image);
		*ret_runtime = runtime;
	}
	java_tables_close(&search.tables);
	java_data_close(&search.data);
	return r;
}
