/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fde_list - lists the FDEs and CIEs of .eh_frame and .debug_frame
 */

#include "symbolizer/parser/cfi/fde_list.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define NO_CIE 0xffffffffu

struct collection {
	struct code_ranges *fdes;
	struct cie_list *cies;
	const struct image *image;
	const struct section *section;
	enum code_range_source source;
	bool ends_at_zero;
	uint32_t first, last; /* CIEs: the section's first; the one found last */
};

static int add_cie(struct collection *collection, struct cie cie)
{
	struct cie_list *cies = collection->cies;
	void *list;

	if (cies->count >= FDE_LIST_CIES_MAX) {
		collection->fdes->truncated = true;
		return 0;
	}
	list = grow(cies->list, cies->count, &cies->capacity, sizeof(*cies->list));
	if (!list)
		return PARSER_FAILED;
	cies->list = list;
	cies->list[cies->count++] = cie;
	return 0;
}

static bool is_at_or_behind(const void *cies, uint32_t index, uint64_t at)
{
	return ((const struct cie *)cies)[index].at >= at;
}

/* The CIE at @at of the section, whose CIEs are in order. Most FDEs have that of the FDE before. */
static uint32_t find_cie(const struct collection *collection, uint64_t at)
{
	const struct cie_list *cies = collection->cies;
	uint32_t first = collection->first, found = collection->last;

	if (found < cies->count && cies->list[found].at == at)
		return found;
	if (first == cies->count)
		return NO_CIE;
	found = first + search_first(cies->list + first, cies->count - first, at, is_at_or_behind);
	return found < cies->count && cies->list[found].at == at ? found : NO_CIE;
}

static int take_cie(struct collection *collection, const struct entry *entry)
{
	if (!entry->is_cie)
		return 0;
	return add_cie(collection, entry_read_cie(entry, collection->section, collection->source));
}

static int take_fde(struct collection *collection, const struct entry *entry)
{
	struct code_ranges *fdes = collection->fdes;
	struct code_range range = {.source = collection->source};
	const struct cie *cie;
	uint64_t bytes;

	if (entry->is_cie)
		return 0;
	fdes->described++;
	range.index = find_cie(collection, entry->cie);
	cie = range.index == NO_CIE ? NULL : &collection->cies->list[range.index];
	if (!cie || !cie->is_valid ||
	    entry_read_fde(entry, collection->section, cie, &range, &bytes)) {
		fdes->refused++;
		return 0;
	}
	collection->last = range.index;
	return code_ranges_add(fdes, collection->image, &range, bytes);
}

/* Passes each entry of the section to @take, up to one that is broken. */
static int walk(struct collection *collection,
		int (*take)(struct collection *collection, const struct entry *entry))
{
	const struct section *section = collection->section;
	struct cursor cursor = cursor_of(section->bytes, section->size);
	struct entry entry;
	int r;

	for (;;) {
		r = entry_next(&cursor, section, collection->source, &entry);
		if (r == ENTRY_E_BROKEN)
			collection->fdes->truncated = true;
		if (r || (entry.is_empty && collection->ends_at_zero))
			return 0;
		if (entry.is_empty)
			continue;
		r = take(collection, &entry);
		if (r)
			return r;
	}
}

int fde_list_collect(struct code_ranges *fdes, struct cie_list *cies, const struct image *image,
		     const struct section *section, enum code_range_source source,
		     bool ends_at_zero)
{
	struct collection collection = {fdes,   cies,         image,       section,
					source, ends_at_zero, cies->count, cies->count};
	int r;

	if (!section->bytes)
		return 0;
	r = walk(&collection, take_cie);
	return r ? r : walk(&collection, take_fde);
}

void fde_list_free_cies(struct cie_list *cies)
{
	free(cies->list);
	*cies = (struct cie_list){0};
}
