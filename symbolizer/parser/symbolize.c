/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbolize - names the functions at file offsets of one ELF file
 */

#include "symbolizer/parser/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/elf/symbol_table.h"
#include "symbolizer/parser/go/pclntab.h"

/* Finds the segment of each offset, and makes those that have one targets. */
static void locate(const struct image *image, const uint64_t *offsets, uint32_t count,
		   struct parser_result *header, struct parser_place_name *symbols,
		   struct symbol_choice *choice)
{
	for (uint32_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = segments_find(image, offsets[i]);

		symbols[i] = (struct parser_place_name){.name = PARSER_NO_NAME};
		if (!segment)
			continue;
		symbols[i].vaddr = segment->p_vaddr + (offsets[i] - segment->p_offset);
		symbols[i].has_vaddr = 1;
		choice->targets[choice->count++] =
			(struct symbol_choice_target){.vaddr = symbols[i].vaddr, .index = i};
		if (!header->segment_bytes && segment->p_flags & PF_X &&
		    segment->p_vaddr + segment->p_filesz > segment->p_vaddr) {
			header->segment_vaddr = segment->p_vaddr;
			header->segment_offset = segment->p_offset;
			header->segment_bytes = segment->p_filesz;
		}
	}
}

/* Neighbours in one function share its name, so there is at most one name for each offset.
 * @names: NULL only measures. Return: their bytes. */
static uint64_t write_names(const struct symbol_choice *choice, struct parser_place_name *symbols,
			    char *names)
{
	const char *last = NULL;
	uint32_t last_at = PARSER_NO_NAME;
	uint64_t used = 0;

	for (uint32_t i = 0; i < choice->count; i++) {
		const struct symbol_choice_target *target = &choice->targets[i];
		struct parser_place_name *symbol = &symbols[target->index];
		size_t length;

		if (!target->best.name)
			continue;
		symbol->start = target->best.start;
		if (target->best.name != last) {
			length = strnlen(target->best.name, PARSER_NAME_MAX);
			if (used + length + 1 > PARSER_NAMES_MAX)
				continue;
			if (names) {
				memcpy(names + used, target->best.name, length);
				names[used + length] = '\0';
			}
			last = target->best.name;
			last_at = (uint32_t)used;
			used += length + 1;
		}
		symbol->name = last_at;
	}
	return used;
}

static int assemble(struct result_blob *result, const struct parser_result *header,
		    struct parser_place_name *symbols, const struct symbol_choice *choice)
{
	uint64_t table = header->count * sizeof(*symbols);
	uint64_t names = write_names(choice, symbols, NULL);
	struct parser_result *blob;

	result->bytes = sizeof(*header) + table + names;
	blob = calloc(1, result->bytes);
	if (!blob)
		return PARSER_FAILED;
	*blob = *header;
	blob->name_bytes = (uint32_t)names;
	memcpy(blob + 1, symbols, table);
	(void)write_names(choice, symbols, (char *)(blob + 1) + table);
	result->data = blob;
	return PARSER_OK;
}

/* A malformed pclntab is skipped. */
static int fill_pclntab(struct pclntab *pclntab, struct image *image,
			const struct image_source *source)
{
	struct sections sections;
	int r = sections_open(&sections, image, source);

	*pclntab = (struct pclntab){0};
	if (!r)
		r = pclntab_open(pclntab, &sections);
	if (!r || r == PARSER_FAILED)
		return r;
	*pclntab = (struct pclntab){0};
	return 0;
}

static int read_image(struct result_blob *result, struct image *image,
		      const struct image_source *source, const uint64_t *offsets, uint32_t count)
{
	struct parser_result header = {.magic = PARSER_MAGIC, .count = count};
	struct parser_place_name *symbols = calloc(count + 1ull, sizeof(*symbols));
	struct symbol_choice choice = {.targets = calloc(count + 1ull, sizeof(*choice.targets))};
	struct pclntab pclntab;
	bool any = false;
	int r = PARSER_FAILED;

	if (symbols && choice.targets) {
		r = symbol_table_fill(image, source);
		if (!r)
			r = fill_pclntab(&pclntab, image, source);
		/* All that is needed has been copied: nothing is read from here on. */
		if (!r) {
			locate(image, offsets, count, &header, symbols, &choice);
			symbol_choice_sort(&choice);
			header.build_id_bytes =
				segments_build_id(image, header.build_id, sizeof(header.build_id));
			r = symbol_table_offer(image, &choice, &any);
		}
		if (!r)
			any |= pclntab_offer(&pclntab, &choice);
		header.has_symbols = any;
		if (!r)
			r = assemble(result, &header, symbols, &choice);
	}
	free(symbols);
	free(choice.targets);
	return r;
}

int symbolize_offsets(struct result_blob *result, const struct image_source *source,
		      const uint64_t *offsets, uint32_t count)
{
	struct image image;
	int r;

	*result = (struct result_blob){0};
	if (count > PARSER_OFFSETS_MAX)
		return PARSER_REFUSED;
	r = image_open(&image, source);
	if (!r)
		r = read_image(result, &image, source, offsets, count);
	image_close(&image);
	return r;
}
