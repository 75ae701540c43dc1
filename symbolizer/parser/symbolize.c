/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbolize - one file's bytes in, one bounded result out
 */

#include "symbolizer/parser/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/elf/symbol_table.h"
#include "symbolizer/parser/go/pclntab.h"

static void place(const struct image *image, const uint64_t *offsets, uint32_t count,
		  struct parser_result *header, struct parser_symbol *symbols,
		  struct symbol_choice *pick)
{
	for (uint32_t i = 0; i < count; i++) {
		const Elf64_Phdr *segment = segments_find(image, offsets[i]);

		symbols[i] = (struct parser_symbol){.name = PARSER_NO_NAME};
		if (!segment)
			continue;
		symbols[i].vaddr = segment->p_vaddr + (offsets[i] - segment->p_offset);
		symbols[i].has_vaddr = 1;
		pick->targets[pick->count++] =
			(struct symbol_choice_target){.vaddr = symbols[i].vaddr, .index = i};
		if (!header->segment_bytes && segment->p_flags & PF_X &&
		    segment->p_vaddr + segment->p_filesz > segment->p_vaddr) {
			header->segment_vaddr = segment->p_vaddr;
			header->segment_offset = segment->p_offset;
			header->segment_bytes = segment->p_filesz;
		}
	}
}

/* Neighbours in one function share its name; so the names are at most one per address. */
static uint64_t put_names(const struct symbol_choice *pick, struct parser_symbol *symbols,
			  char *names)
{
	const char *last = NULL;
	uint32_t last_at = PARSER_NO_NAME;
	uint64_t used = 0;

	for (uint32_t i = 0; i < pick->count; i++) {
		const struct symbol_choice_target *target = &pick->targets[i];
		struct parser_symbol *symbol = &symbols[target->index];
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

static int assemble(struct symbolize *answer, const struct parser_result *header,
		    struct parser_symbol *symbols, const struct symbol_choice *pick)
{
	uint64_t table = header->count * sizeof(*symbols);
	uint64_t names = put_names(pick, symbols, NULL);
	struct parser_result *blob;

	answer->bytes = sizeof(*header) + table + names;
	blob = calloc(1, answer->bytes);
	if (!blob)
		return PARSER_FAILED;
	*blob = *header;
	blob->name_bytes = (uint32_t)names;
	memcpy(blob + 1, symbols, table);
	(void)put_names(pick, symbols, (char *)(blob + 1) + table);
	answer->blob = blob;
	return PARSER_OK;
}

/* A table that lies costs itself. */
static int fill_go(struct pclntab *golang, struct image *image, const struct image_source *source)
{
	struct sections sections;
	int r = sections_open(&sections, image, source);

	*golang = (struct pclntab){0};
	if (!r)
		r = pclntab_open(golang, &sections);
	if (!r || r == PARSER_FAILED)
		return r;
	*golang = (struct pclntab){0};
	return 0;
}

static int read_image(struct symbolize *answer, struct image *image,
		      const struct image_source *source, const uint64_t *offsets, uint32_t count)
{
	struct parser_result header = {.magic = PARSER_MAGIC, .count = count};
	struct parser_symbol *symbols = calloc(count + 1ull, sizeof(*symbols));
	struct symbol_choice pick = {.targets = calloc(count + 1ull, sizeof(*pick.targets))};
	struct pclntab golang;
	int any = 0;
	int r = PARSER_FAILED;

	if (symbols && pick.targets) {
		r = symbol_table_fill(image, source);
		if (!r)
			r = fill_go(&golang, image, source);
		/* From here on nothing is read any more: the copy is what it is. */
		if (!r) {
			place(image, offsets, count, &header, symbols, &pick);
			symbol_choice_sort(&pick);
			header.build_id_bytes =
				segments_build_id(image, header.build_id, sizeof(header.build_id));
			r = symbol_table_offer(image, &pick, &any);
		}
		if (!r)
			any |= pclntab_offer(&golang, &pick);
		header.has_symbols = any != 0;
		if (!r)
			r = assemble(answer, &header, symbols, &pick);
	}
	free(symbols);
	free(pick.targets);
	return r;
}

int symbolize_file(struct symbolize *answer, const struct image_source *source,
		   const uint64_t *offsets, uint32_t count)
{
	struct image image;
	int r;

	*answer = (struct symbolize){0};
	if (count > PARSER_OFFSETS_MAX)
		return PARSER_REFUSED;
	r = image_open(&image, source);
	if (!r)
		r = read_image(answer, &image, source, offsets, count);
	image_close(&image);
	return r;
}

void symbolize_free(struct symbolize *answer)
{
	free(answer->blob);
	*answer = (struct symbolize){0};
}
