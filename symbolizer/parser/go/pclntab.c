/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab - the functions that a Go file's pclntab describes
 */

#include "symbolizer/parser/go/pclntab.h"

#include <string.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"

#define HEADER_BYTES  8u         /* magic, two zeros, quantum, size of a pointer */
#define TEXT_START    24u        /* in the header since 1.18; zero when it is to be relocated */
#define MODULE_TEXT   (22u * 8u) /* moduledata.text */
#define FUNCTIONS_MAX FDE_LIST_MAX
#define RELATIVE      8u /* R_X86_64_RELATIVE */

uint64_t pclntab_number(const struct pclntab *golang, uint64_t offset, uint32_t bytes)
{
	struct cursor cursor = cursor_of(golang->table.bytes, golang->table.size);

	cursor_skip(&cursor, offset);
	return cursor_number(&cursor, bytes);
}

static enum pclntab_version version_of(const struct pclntab *golang)
{
	if (golang->table.size < HEADER_BYTES || golang->table.bytes[4] || golang->table.bytes[5] ||
	    golang->table.bytes[7] != 8)
		return PCLNTAB_NONE;
	switch (pclntab_number(golang, 0, 4)) {
	case 0xfffffffb:
		return PCLNTAB_1_2;
	case 0xfffffffa:
		return PCLNTAB_1_16;
	case 0xfffffff0:
		return PCLNTAB_1_18;
	case 0xfffffff1:
		return PCLNTAB_1_20;
	default:
		return PCLNTAB_NONE;
	}
}

/* The word at an address of the file as the loader leaves it. */
static int relocated(const struct sections *sections, uint64_t vaddr, uint64_t *ret_value)
{
	struct section place, relocations;
	int r;

	*ret_value = 0;
	r = sections_load_at(sections, vaddr, sizeof(*ret_value), &place);
	if (r)
		return r;
	if (place.size == sizeof(*ret_value))
		memcpy(ret_value, place.bytes, sizeof(*ret_value));
	if (*ret_value)
		return 0;
	r = sections_load(sections, ".rela.dyn", &relocations);
	for (uint64_t at = 0; !r && at + sizeof(Elf64_Rela) <= relocations.size;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela relocation;

		memcpy(&relocation, relocations.bytes + at, sizeof(relocation));
		if (relocation.r_offset == vaddr && ELF64_R_TYPE(relocation.r_info) == RELATIVE) {
			*ret_value = (uint64_t)relocation.r_addend;
			break;
		}
	}
	return r;
}

/* In the header, in the module's data, or where the section begins. */
static int find_text(struct pclntab *golang, const struct sections *sections)
{
	const Elf64_Shdr *module = sections_header(sections, ".go.module");
	const Elf64_Shdr *text = sections_header(sections, ".text");
	int r;

	r = relocated(sections, golang->table.vaddr + TEXT_START, &golang->text);
	if (!r && !golang->text && module)
		r = relocated(sections, module->sh_addr + MODULE_TEXT, &golang->text);
	if (!r && !golang->text && text)
		golang->text = text->sh_addr;
	return r;
}

/* Words of the header behind its first eight bytes. */
static uint64_t word(const struct pclntab *golang, uint32_t index)
{
	return pclntab_number(golang, HEADER_BYTES + 8ull * index, 8);
}

int pclntab_open(struct pclntab *golang, const struct sections *sections)
{
	uint32_t first; /* of the words that say where the parts are */
	int r;

	*golang = (struct pclntab){.version = PCLNTAB_NONE};
	r = sections_load(sections, ".gopclntab", &golang->table);
	if (!r && !golang->table.bytes)
		r = sections_load(sections, ".data.rel.ro.gopclntab", &golang->table);
	if (r)
		return r;
	golang->version = version_of(golang);
	if (golang->version == PCLNTAB_NONE)
		return 0;
	golang->quantum = golang->table.bytes[6];
	golang->count = word(golang, 0);
	if (golang->count > FUNCTIONS_MAX)
		golang->version = PCLNTAB_NONE;
	if (golang->version < PCLNTAB_1_16)
		return 0;
	first = golang->version == PCLNTAB_1_16 ? 2 : 3;
	golang->names = word(golang, first);
	golang->steps = word(golang, first + 3);
	golang->functions = word(golang, first + 4);
	return golang->version >= PCLNTAB_1_18 ? find_text(golang, sections) : 0;
}

/* The list of (entry, where it is described), one entry more at its end. */
static uint64_t listed(const struct pclntab *golang, uint64_t index)
{
	uint32_t field = golang->version >= PCLNTAB_1_18 ? 4 : 8;
	uint64_t begin = golang->version == PCLNTAB_1_2 ? HEADER_BYTES + 8 : golang->functions;

	if (begin > golang->table.size)
		return 0;
	return pclntab_number(golang, begin + index * field, field);
}

uint64_t pclntab_described(const struct pclntab *golang, uint32_t number)
{
	return golang->functions + listed(golang, 2ull * number + 1);
}

static uint64_t entry_of(const struct pclntab *golang, uint64_t number)
{
	return listed(golang, 2 * number) + golang->text;
}

int pclntab_add(const struct pclntab *golang, struct fde_list *frames, const struct image *image)
{
	int r = 0;

	if (golang->version == PCLNTAB_NONE)
		return 0;
	for (uint32_t i = 0; !r && i < golang->count; i++) {
		struct span span = {.source = SPAN_GO, .cie = i, .vaddr = entry_of(golang, i)};
		uint64_t end = entry_of(golang, i + 1ull);

		if (end <= span.vaddr)
			continue; /* also what lies beyond the table's end */
		frames->described++;
		r = fde_list_add(frames, image, &span, end - span.vaddr);
	}
	return r;
}

const char *pclntab_name(const struct pclntab *golang, uint32_t number)
{
	uint64_t at = pclntab_described(golang, number);
	uint64_t name;

	if (at > golang->table.size)
		return NULL;
	name = golang->names +
	       (uint32_t)pclntab_number(golang, at + (golang->version >= PCLNTAB_1_18 ? 4 : 8), 4);
	if (name >= golang->table.size ||
	    !memchr(golang->table.bytes + name, 0, golang->table.size - name))
		return NULL;
	return (const char *)golang->table.bytes + name;
}

/* The last function that begins at or before an address, in a list that should be sorted. */
static uint32_t find_function(const struct pclntab *golang, uint64_t vaddr)
{
	uint32_t low = 0, high = (uint32_t)golang->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (entry_of(golang, middle) <= vaddr)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int pclntab_offer(const struct pclntab *golang, struct symbol_choice *pick)
{
	uint64_t end = 0; /* of the function that was offered last */
	int any = 0;

	if (golang->version == PCLNTAB_NONE || !golang->count)
		return 0;
	for (uint32_t i = 0; i < pick->count; i++) {
		struct symbol_choice_symbol offer = {.is_function = 1, .binding = 2};
		uint64_t vaddr = pick->targets[i].vaddr;
		uint32_t number;

		if (vaddr < end)
			continue;
		number = find_function(golang, vaddr);
		offer.start = entry_of(golang, number);
		end = entry_of(golang, number + 1ull);
		if (vaddr < offer.start || vaddr >= end)
			continue;
		offer.size = end - offer.start;
		offer.name = pclntab_name(golang, number);
		if (!offer.name || !offer.name[0])
			continue;
		symbol_choice_offer(pick, &offer);
		any = 1;
	}
	symbol_choice_settle(pick);
	return any;
}
