/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fde_list - which functions a file's .eh_frame or .debug_frame describes, and by which bytes
 */

#include "symbolizer/parser/cfi/fde_list.h"

#include <stdlib.h>

#include "symbolizer/parser/cfi/entry.h"
#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

int fde_list_add(struct fde_list *frames, const struct image *image, const struct span *span,
		 uint64_t bytes)
{
	const Elf64_Phdr *segment = segments_of_code(image, span->vaddr);
	struct span added = *span;
	uint64_t within, offset;
	void *spans;

	if (!segment || !bytes)
		return 0;
	within = span->vaddr - segment->p_vaddr;
	offset = segment->p_offset + within;
	/* What was thrown away at link time is left with address 0: no code lies over the header. */
	if (offset < sizeof(Elf64_Ehdr) || offset > UINT32_MAX)
		return 0;
	if (bytes > segment->p_filesz - within)
		bytes = segment->p_filesz - within;
	if (bytes > UINT32_MAX - offset)
		bytes = UINT32_MAX - offset;
	if (frames->count >= FDE_LIST_MAX) {
		frames->cut = 1;
		return 0;
	}
	spans = grow(frames->spans, frames->count, &frames->room, sizeof(*span));
	if (!spans)
		return PARSER_FAILED;
	frames->spans = spans;
	added.start = (uint32_t)offset;
	added.bytes = (uint32_t)bytes;
	frames->spans[frames->count++] = added;
	return 0;
}

static int add_cie(struct fde_list *frames, struct cie cie)
{
	void *cies;

	if (frames->cie_count >= FDE_LIST_CIES_MAX) {
		frames->cut = 1;
		return 0;
	}
	cies = grow(frames->cies, frames->cie_count, &frames->cie_room, sizeof(cie));
	if (!cies)
		return PARSER_FAILED;
	frames->cies = cies;
	frames->cies[frames->cie_count++] = cie;
	return 0;
}

/* The entry at @at among the CIEs from @first on, which stand in order; the last answer first. */
static uint32_t find_cie(const struct fde_list *frames, uint32_t first, uint32_t last, uint64_t at)
{
	uint32_t low = first, high = frames->cie_count;

	if (last < high && frames->cies[last].at == at)
		return last;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (frames->cies[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < frames->cie_count && frames->cies[low].at == at ? low : FDE_LIST_NO_CIE;
}

/* Each entry of the section to @take, as long as there is a way on. */
static int walk(struct fde_list *frames, const struct section *section, enum span_source source,
		int stop_at_zero, int (*take)(void *context, const struct entry *entry),
		void *context)
{
	struct cursor cursor = cursor_of(section->bytes, section->size);
	struct entry entry;
	int r;

	for (;;) {
		r = entry_next(&cursor, section, source, &entry);
		if (r == ENTRY_E_BROKEN)
			frames->cut = 1;
		if (r || (entry.is_empty && stop_at_zero))
			return 0;
		if (entry.is_empty)
			continue;
		r = take(context, &entry);
		if (r)
			return r;
	}
}

struct collection {
	struct fde_list *frames;
	const struct image *image;
	const struct section *section;
	enum span_source source;
	uint32_t first, last; /* CIEs of this section; the one found last */
};

static int take_cie(void *context, const struct entry *entry)
{
	const struct collection *from = context;

	if (!entry->is_cie)
		return 0;
	return add_cie(from->frames, entry_read_cie(entry, from->section, from->source));
}

static int take_function(void *context, const struct entry *entry)
{
	struct collection *from = context;
	struct fde_list *frames = from->frames;
	struct span span = {.source = from->source};
	uint64_t bytes;

	if (entry->is_cie)
		return 0;
	frames->described++;
	span.cie = find_cie(frames, from->first, from->last, entry->cie);
	if (span.cie == FDE_LIST_NO_CIE || !frames->cies[span.cie].good ||
	    entry_read_function(entry, from->section, &frames->cies[span.cie], &span, &bytes)) {
		frames->refused++;
		return 0;
	}
	from->last = span.cie;
	return fde_list_add(frames, from->image, &span, bytes);
}

int fde_list_collect(struct fde_list *frames, const struct image *image,
		     const struct section *section, enum span_source source, int stop_at_zero)
{
	struct collection from = {frames,           image, section, source, frames->cie_count,
				  frames->cie_count};
	int r;

	if (!section->bytes)
		return 0;
	r = walk(frames, section, source, stop_at_zero, take_cie, &from);
	return r ? r : walk(frames, section, source, stop_at_zero, take_function, &from);
}

void fde_list_add_root(struct fde_list *frames, uint64_t vaddr)
{
	if (frames->root_count < FDE_LIST_ROOTS)
		frames->roots[frames->root_count++] = vaddr;
}

int fde_list_is_root(const struct fde_list *frames, uint64_t vaddr)
{
	for (uint32_t i = 0; i < frames->root_count; i++)
		if (frames->roots[i] == vaddr)
			return 1;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->code > y->code) - (x->code < y->code);
}

void fde_list_sort(struct fde_list *frames)
{
	uint32_t i = 1;

	/* Most files are in order already. */
	while (i < frames->count && compare(&frames->spans[i - 1], &frames->spans[i]) <= 0)
		i++;
	if (i < frames->count)
		qsort(frames->spans, frames->count, sizeof(*frames->spans), compare);
}

void fde_list_free(struct fde_list *frames)
{
	free(frames->spans);
	free(frames->cies);
	*frames = (struct fde_list){0};
}
