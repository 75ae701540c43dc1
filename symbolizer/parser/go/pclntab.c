/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab - reads the function table (pclntab) of a Go program
 */

#include "symbolizer/parser/go/pclntab.h"

#include <string.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"

#define HEADER_BYTES  8u         /* magic, two zeros, quantum, size of a pointer */
#define TEXT_START    24u        /* in the header since 1.18; zero when the loader relocates it */
#define MODULE_TEXT   (22u * 8u) /* moduledata.text */
#define FUNCTIONS_MAX CODE_RANGES_MAX
#define RELATIVE      8u /* R_X86_64_RELATIVE */

uint64_t pclntab_number(const struct pclntab *pclntab, uint64_t offset, uint32_t bytes)
{
	struct cursor cursor = cursor_of(pclntab->table.bytes, pclntab->table.size);

	cursor_skip(&cursor, offset);
	return cursor_number(&cursor, bytes);
}

static enum pclntab_version version_of(const struct pclntab *pclntab)
{
	if (pclntab->table.size < HEADER_BYTES || pclntab->table.bytes[4] ||
	    pclntab->table.bytes[5] || pclntab->table.bytes[7] != 8)
		return PCLNTAB_NONE;
	switch (pclntab_number(pclntab, 0, 4)) {
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

int pclntab_read_relocated(const struct sections *sections, uint64_t vaddr, uint64_t *ret_value)
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

/* The start of the code: in the header, in the module data, or where .text begins. */
static int find_text(struct pclntab *pclntab, const struct sections *sections)
{
	const Elf64_Shdr *module = sections_header(sections, ".go.module");
	const Elf64_Shdr *text = sections_header(sections, ".text");
	int r;

	r = pclntab_read_relocated(sections, pclntab->table.vaddr + TEXT_START, &pclntab->text);
	if (!r && !pclntab->text && module)
		r = pclntab_read_relocated(sections, module->sh_addr + MODULE_TEXT, &pclntab->text);
	if (!r && !pclntab->text && text)
		pclntab->text = text->sh_addr;
	return r;
}

/* A word of the header behind its first eight bytes. */
static uint64_t header_word(const struct pclntab *pclntab, uint32_t index)
{
	return pclntab_number(pclntab, HEADER_BYTES + 8ull * index, 8);
}

int pclntab_open(struct pclntab *pclntab, const struct sections *sections)
{
	uint32_t first; /* of the words with the offsets of the parts */
	int r;

	*pclntab = (struct pclntab){.version = PCLNTAB_NONE};
	r = sections_load(sections, ".gopclntab", &pclntab->table);
	if (!r && !pclntab->table.bytes)
		r = sections_load(sections, ".data.rel.ro.gopclntab", &pclntab->table);
	if (r)
		return r;
	pclntab->version = version_of(pclntab);
	if (pclntab->version == PCLNTAB_NONE)
		return 0;
	pclntab->quantum = pclntab->table.bytes[6];
	pclntab->count = header_word(pclntab, 0);
	if (pclntab->count > FUNCTIONS_MAX)
		pclntab->version = PCLNTAB_NONE;
	if (pclntab->version < PCLNTAB_1_16)
		return 0;
	first = pclntab->version == PCLNTAB_1_16 ? 2 : 3;
	pclntab->names = header_word(pclntab, first);
	pclntab->pctab = header_word(pclntab, first + 3);
	pclntab->file_numbers = header_word(pclntab, first + 1);
	pclntab->files = header_word(pclntab, first + 2);
	pclntab->functab = header_word(pclntab, first + 4);
	return pclntab->version >= PCLNTAB_1_18 ? find_text(pclntab, sections) : 0;
}

/* functab has pairs of an entry point and the offset of its _func; its last entry is the end. */
static uint64_t functab_field(const struct pclntab *pclntab, uint64_t index)
{
	uint32_t field = pclntab->version >= PCLNTAB_1_18 ? 4 : 8;
	uint64_t begin = pclntab->version == PCLNTAB_1_2 ? HEADER_BYTES + 8 : pclntab->functab;

	if (begin > pclntab->table.size)
		return 0;
	return pclntab_number(pclntab, begin + index * field, field);
}

uint64_t pclntab_func(const struct pclntab *pclntab, uint32_t number)
{
	return pclntab->functab + functab_field(pclntab, 2ull * number + 1);
}

uint64_t pclntab_entry(const struct pclntab *pclntab, uint64_t number)
{
	return functab_field(pclntab, 2 * number) + pclntab->text;
}

int pclntab_add(const struct pclntab *pclntab, struct code_ranges *ranges,
		const struct image *image)
{
	int r = 0;

	if (pclntab->version == PCLNTAB_NONE)
		return 0;
	for (uint32_t i = 0; !r && i < pclntab->count; i++) {
		struct code_range range = {.source = CODE_RANGE_PCLNTAB,
					   .index = i,
					   .vaddr = pclntab_entry(pclntab, i)};
		uint64_t end = pclntab_entry(pclntab, i + 1ull);

		if (end <= range.vaddr)
			continue; /* also for fields beyond the table's end, which read as zero */
		ranges->described++;
		r = code_ranges_add(ranges, image, &range, end - range.vaddr);
	}
	return r;
}

uint32_t pclntab_name_offset(const struct pclntab *pclntab, uint32_t number)
{
	uint64_t at = pclntab_func(pclntab, number);
	uint32_t field = pclntab->version >= PCLNTAB_1_18 ? 4 : 8;

	return at < pclntab->table.size ? (uint32_t)pclntab_number(pclntab, at + field, 4)
					: UINT32_MAX;
}

const char *pclntab_name(const struct pclntab *pclntab, uint32_t number)
{
	uint64_t name = pclntab->names + pclntab_name_offset(pclntab, number);

	if (name >= pclntab->table.size ||
	    !memchr(pclntab->table.bytes + name, 0, pclntab->table.size - name))
		return NULL;
	return (const char *)pclntab->table.bytes + name;
}
