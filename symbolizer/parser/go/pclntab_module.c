/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_module - the module data of a Go program, which says where parts of it lie
 */

#include "symbolizer/parser/go/pclntab_module.h"

#include <string.h>

#include "symbolizer/parser/parser.h"

#define GOFUNC_1_18 (38u * 8u) /* moduledata.gofunc */
#define GOFUNC_1_20 (40u * 8u)
#define RELATIVE    8u /* R_X86_64_RELATIVE */

/* It begins with the addresses of the table and of the function names in it. */
static uint64_t find_in(const struct pclntab *pclntab, const struct section *section)
{
	const uint64_t start[2] = {pclntab->table.vaddr, pclntab->table.vaddr + pclntab->names};

	for (uint64_t at = 0; at + sizeof(start) <= section->size; at += sizeof(start[0]))
		if (memcmp(section->bytes + at, start, sizeof(start)) == 0)
			return section->vaddr + at;
	return 0;
}

/* The words of a position-independent program are written by the loader. */
static uint64_t find_relocated(const struct pclntab *pclntab, const struct section *relocations)
{
	Elf64_Rela one, next;

	for (uint64_t at = 0; at + 2 * sizeof(one) <= relocations->size; at += sizeof(one)) {
		memcpy(&one, relocations->bytes + at, sizeof(one));
		if ((uint64_t)one.r_addend != pclntab->table.vaddr ||
		    ELF64_R_TYPE(one.r_info) != RELATIVE)
			continue;
		memcpy(&next, relocations->bytes + at + sizeof(one), sizeof(next));
		if (next.r_offset == one.r_offset + sizeof(uint64_t) &&
		    (uint64_t)next.r_addend == pclntab->table.vaddr + pclntab->names)
			return one.r_offset;
	}
	return 0;
}

static int find_module(const struct pclntab *pclntab, const struct sections *sections,
		       uint64_t *ret_vaddr)
{
	static const char *const places[] = {".go.module", ".noptrdata", ".data"};
	struct section section;
	int r = 0;

	*ret_vaddr = 0;
	for (uint32_t i = 0; !r && !*ret_vaddr && i < sizeof(places) / sizeof(places[0]); i++) {
		r = sections_load(sections, places[i], &section);
		if (!r)
			*ret_vaddr = find_in(pclntab, &section);
	}
	if (r || *ret_vaddr)
		return r;
	r = sections_load(sections, ".rela.dyn", &section);
	if (!r)
		*ret_vaddr = find_relocated(pclntab, &section);
	return r;
}

int pclntab_module_inline_trees(const struct pclntab *pclntab, const struct sections *sections,
				uint64_t *ret_vaddr)
{
	uint64_t module;
	int r = find_module(pclntab, sections, &module);

	*ret_vaddr = 0;
	if (!r && module)
		r = pclntab_read_relocated(
			sections,
			module + (pclntab->version == PCLNTAB_1_18 ? GOFUNC_1_18 : GOFUNC_1_20),
			ret_vaddr);
	return r;
}
