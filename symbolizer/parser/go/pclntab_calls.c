/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_calls - the functions, inlined calls and lines that a pclntab knows at an address
 */

#include "symbolizer/parser/go/pclntab_calls.h"

#include <string.h>

#include "shared/search.h"
#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/go/pclntab_module.h"
#include "symbolizer/parser/parser.h"

#define TREES_BYTES_MAX (64u << 20)
#define INLINE_INDEX    2u /* PCDATA_InlTreeIndex */
#define INLINE_TREE     3u /* FUNCDATA_InlTree */
#define NO_TREE         UINT32_MAX
#define NO_FILE         UINT32_MAX

/* Where the fields of a _func and of an inlined call lie. */
struct layout {
	uint8_t file, line, unit, first_line; /* pcfile, pcln, cuOffset; startLine, 0: none */
	uint8_t tables, trees;                /* npcdata, nfuncdata */
	uint8_t end;
	uint8_t call_bytes, call_name, call_parent, call_first_line;
};

static const struct layout *layout_of(const struct pclntab *pclntab)
{
	static const struct layout go_1_16 = {24, 28, 36, 0, 32, 43, 44, 20, 12, 16, 0};
	static const struct layout go_1_18 = {20, 24, 32, 0, 28, 39, 40, 20, 12, 16, 0};
	static const struct layout go_1_20 = {20, 24, 32, 36, 28, 43, 44, 16, 4, 8, 12};

	switch (pclntab->version) {
	case PCLNTAB_1_16:
		return &go_1_16;
	case PCLNTAB_1_18:
		return &go_1_18;
	case PCLNTAB_1_20:
		return &go_1_20;
	default:
		return NULL;
	}
}

int pclntab_calls_open(struct pclntab_calls *calls, const struct pclntab *pclntab,
		       const struct sections *sections)
{
	int r;

	*calls = (struct pclntab_calls){.pclntab = pclntab};
	if (!layout_of(pclntab))
		return 0;
	if (pclntab->version == PCLNTAB_1_16) /* its inline trees have addresses */
		return sections_load(sections, ".rodata", &calls->trees);
	r = pclntab_module_inline_trees(pclntab, sections, &calls->inline_trees);
	if (!r && calls->inline_trees)
		r = sections_load_at(sections, calls->inline_trees, TREES_BYTES_MAX, &calls->trees);
	return r;
}

/* --- one function ----------------------------------------------------------------------------- */

struct function {
	const struct pclntab_calls *calls;
	const struct layout *layout;
	uint32_t number;
	uint64_t at; /* of its _func, in the table */
	uint64_t entry;
};

static uint32_t field(const struct function *function, uint32_t offset)
{
	return (uint32_t)pclntab_number(function->calls->pclntab, function->at + offset, 4);
}

/* The value that an encoded list has at an address; -1: none. A list has pairs of a change of the
 * value and a distance for which it holds, and ends with a zero. */
static int32_t value_at(const struct function *function, uint32_t list, uint64_t vaddr)
{
	const struct pclntab *pclntab = function->calls->pclntab;
	struct cursor cursor = cursor_of(pclntab->table.bytes, pclntab->table.size);
	uint64_t at = function->entry;
	uint32_t value = UINT32_MAX;

	if (!list)
		return -1;
	cursor_skip(&cursor, pclntab->pctab);
	cursor_skip(&cursor, list);
	while (!cursor.is_past_end) {
		uint32_t change = (uint32_t)cursor_unsigned(&cursor);

		if (!change && at != function->entry)
			break;
		value += (change >> 1) ^ (0u - (change & 1));
		at += (uint32_t)cursor_unsigned(&cursor) * (uint64_t)pclntab->quantum;
		if (vaddr < at)
			return (int32_t)value;
	}
	return -1;
}

static const char *string_at(const struct pclntab *pclntab, uint64_t offset)
{
	const struct section *table = &pclntab->table;

	return offset < table->size && memchr(table->bytes + offset, 0, table->size - offset)
		       ? (const char *)table->bytes + offset
		       : NULL;
}

static const char *file_at(const struct function *function, uint64_t vaddr)
{
	const struct pclntab *pclntab = function->calls->pclntab;
	int32_t number = value_at(function, field(function, function->layout->file), vaddr);
	uint64_t index = (uint64_t)field(function, function->layout->unit) + (uint32_t)number;
	uint32_t offset;

	if (number < 0)
		return NULL;
	offset = (uint32_t)pclntab_number(pclntab, pclntab->file_numbers + 4 * index, 4);
	return offset == NO_FILE ? NULL : string_at(pclntab, pclntab->files + offset);
}

/* The address of the function's inline tree; 0: nothing is inlined in it. */
static uint64_t inline_tree(const struct function *function)
{
	const struct pclntab *pclntab = function->calls->pclntab;
	bool has_addresses = pclntab->version == PCLNTAB_1_16;
	uint64_t lists = field(function, function->layout->tables);
	uint64_t at = function->at + function->layout->end + 4 * lists;
	uint32_t offset;

	if (pclntab_number(pclntab, function->at + function->layout->trees, 1) <= INLINE_TREE ||
	    lists <= INLINE_INDEX)
		return 0;
	if (has_addresses)
		return pclntab_number(pclntab, ((at + 7) & ~7ull) + 8ull * INLINE_TREE, 8);
	offset = (uint32_t)pclntab_number(pclntab, at + 4ull * INLINE_TREE, 4);
	return offset == NO_TREE ? 0 : function->calls->inline_trees + offset;
}

/* The entry of the tree for what is inlined at an address. Return: whether there is one. */
static bool find_inlined(const struct function *function, uint64_t tree, uint64_t vaddr,
			 struct cursor *ret_entry)
{
	const struct section *trees = &function->calls->trees;
	uint32_t list = field(function, function->layout->end + 4 * INLINE_INDEX);
	int32_t index = tree ? value_at(function, list, vaddr) : -1;
	uint64_t offset = tree - trees->vaddr;

	if (index < 0 || !trees->bytes || tree < trees->vaddr || offset > trees->size)
		return false;
	*ret_entry = cursor_of(trees->bytes + offset, trees->size - offset);
	cursor_skip(ret_entry, (uint64_t)index * function->layout->call_bytes);
	return cursor_left(ret_entry) >= function->layout->call_bytes;
}

static uint32_t entry_field(struct cursor entry, uint32_t offset)
{
	cursor_skip(&entry, offset);
	return (uint32_t)cursor_number(&entry, 4);
}

static uint32_t walk(const struct function *function, uint64_t vaddr, struct pclntab_call *list)
{
	const struct pclntab *pclntab = function->calls->pclntab;
	const struct layout *layout = function->layout;
	uint64_t tree = inline_tree(function);

	for (uint32_t i = 0; i < PCLNTAB_CALLS_MAX; i++) {
		int32_t line = value_at(function, field(function, layout->line), vaddr);
		struct cursor entry;

		list[i] = (struct pclntab_call){.file = file_at(function, vaddr),
						.line = line > 0 ? (uint32_t)line : 0};
		if (!find_inlined(function, tree, vaddr, &entry)) {
			list[i].function = pclntab_name(pclntab, function->number);
			if (layout->first_line)
				list[i].start_line = field(function, layout->first_line);
			return i + 1;
		}
		list[i].function =
			string_at(pclntab, pclntab->names + entry_field(entry, layout->call_name));
		if (layout->call_first_line)
			list[i].start_line = entry_field(entry, layout->call_first_line);
		vaddr = function->entry + entry_field(entry, layout->call_parent);
	}
	return PCLNTAB_CALLS_MAX;
}

static bool is_behind(const void *list, uint32_t index, uint64_t key)
{
	return pclntab_entry(list, index) > key;
}

uint32_t pclntab_calls_find(const struct pclntab_calls *calls, uint64_t vaddr,
			    struct pclntab_call list[static PCLNTAB_CALLS_MAX])
{
	const struct pclntab *pclntab = calls->pclntab;
	uint32_t count = (uint32_t)pclntab->count;
	struct function function = {.calls = calls, .layout = layout_of(pclntab)};

	if (!function.layout || !count)
		return 0;
	function.number = search_last(pclntab, count, vaddr, is_behind);
	function.entry = pclntab_entry(pclntab, function.number);
	function.at = pclntab_func(pclntab, function.number);
	if (vaddr < function.entry || vaddr >= pclntab_entry(pclntab, function.number + 1ull) ||
	    function.at >= pclntab->table.size)
		return 0;
	return walk(&function, vaddr, list);
}
