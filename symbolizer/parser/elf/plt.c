/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plt - the stubs through which a file calls functions of others, as a list of symbols
 */

#include "symbolizer/parser/elf/plt.h"

#include <stdlib.h>
#include <string.h>

#include "shared/search.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define STUB_BYTES       16u
#define SHORT_STUB_BYTES 8u
#define SYMBOLS          0u /* sources of the strings */
#define RESOLVERS        1u

/* Relocations of x86-64 that fill a slot with the address of a function. */
#define GLOB_DAT  6u
#define JUMP_SLOT 7u
#define IRELATIVE 37u

struct slot {
	uint64_t vaddr;
	uint64_t resolver; /* 0: it is that of a symbol */
	uint32_t symbol;   /* its index in .dynsym */
	uint32_t pad;
};

struct plt {
	const struct sections *sections;
	const struct symbol_ranges *resolvers;
	struct symbol_list *list;
	struct section dynsym;
	struct slot *slots; /* owned */
	uint32_t count, capacity;
};

static int by_vaddr(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static int add_slot(struct plt *plt, const Elf64_Rela *relocation)
{
	uint64_t type = ELF64_R_TYPE(relocation->r_info);
	struct slot slot = {.vaddr = relocation->r_offset};
	struct slot *grown;

	if (type == IRELATIVE)
		slot.resolver = (uint64_t)relocation->r_addend;
	else if (type == GLOB_DAT || type == JUMP_SLOT)
		slot.symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
	else
		return 0;
	if (plt->count >= PLT_RELOCATIONS_MAX)
		return PARSER_TOO_LARGE;
	grown = grow(plt->slots, plt->count, &plt->capacity, sizeof(slot));
	if (!grown)
		return PARSER_FAILED;
	plt->slots = grown;
	plt->slots[plt->count++] = slot;
	return 0;
}

static int read_slots(struct plt *plt, const char *name)
{
	struct section section;
	int r = sections_load(plt->sections, name, &section);

	for (uint64_t at = 0; !r && at + sizeof(Elf64_Rela) <= section.size;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela relocation;

		memcpy(&relocation, section.bytes + at, sizeof(relocation));
		r = add_slot(plt, &relocation);
	}
	return r;
}

static bool takes(const uint8_t **at, const uint8_t *end, const char *code, size_t bytes,
		  size_t skipped)
{
	if ((size_t)(end - *at) < bytes + skipped || memcmp(*at, code, bytes) != 0)
		return false;
	*at += bytes + skipped;
	return true;
}

/* Whether the stub jumps to where a slot points: with endbr64, a number in r11 (mold) or a bnd
 * prefix before the jump, or without. */
static bool decode_stub(const uint8_t *code, uint64_t bytes, uint64_t vaddr, uint64_t *ret_slot)
{
	const uint8_t *at = code;
	int32_t distance;

	(void)takes(&at, code + bytes, "\xf3\x0f\x1e\xfa", 4, 0);
	(void)takes(&at, code + bytes, "\x41\xbb", 2, 4);
	(void)takes(&at, code + bytes, "\xf2", 1, 0);
	if (!takes(&at, code + bytes, "\xff\x25", 2, sizeof(distance)))
		return false;
	memcpy(&distance, at - sizeof(distance), sizeof(distance));
	*ret_slot = vaddr + (uint64_t)(at - code) + (uint64_t)(int64_t)distance;
	return true;
}

static bool slot_is_at_or_behind(const void *slots, uint32_t index, uint64_t vaddr)
{
	return ((const struct slot *)slots)[index].vaddr >= vaddr;
}

static bool range_is_at_or_behind(const void *ranges, uint32_t index, uint64_t vaddr)
{
	return ((const struct symbol_range *)ranges)[index].start >= vaddr;
}

/* Return: whether a symbol begins at the resolver whose name is in the strings. */
static bool name_resolver(const struct plt *plt, uint64_t resolver, struct symbol *symbol)
{
	const struct symbol_ranges *ranges = plt->resolvers;
	uint32_t index = search_first(ranges->list, ranges->count, resolver, range_is_at_or_behind);

	if (index == ranges->count || ranges->list[index].start != resolver)
		return false;
	for (uint8_t source = SYMBOLS; source <= RESOLVERS; source++) {
		const struct symbol_strings *strings = &plt->list->sources[source];
		uint64_t at = (uintptr_t)ranges->list[index].name - (uintptr_t)strings->bytes;

		if (!strings->count || at >= strings->count)
			continue;
		symbol->name = (uint32_t)at;
		symbol->source = source;
		return true;
	}
	return false;
}

static bool name_symbol(const struct plt *plt, uint32_t number, struct symbol *symbol)
{
	const struct symbol_strings *strings = &plt->list->sources[SYMBOLS];
	Elf64_Sym entry;

	if (!number || number >= plt->dynsym.size / sizeof(entry))
		return false;
	memcpy(&entry, plt->dynsym.bytes + number * sizeof(entry), sizeof(entry));
	symbol->name = entry.st_name;
	symbol->source = SYMBOLS;
	return entry.st_name < strings->count && strings->bytes[entry.st_name];
}

static int read_stub(struct plt *plt, const uint8_t *code, uint32_t bytes, uint64_t vaddr)
{
	struct symbol symbol = {
		.start = vaddr, .bytes = bytes, .is_function = true, .binding = SYMBOL_GLOBAL};
	const struct slot *slot;
	uint64_t target;
	uint32_t index;

	if (!decode_stub(code, bytes, vaddr, &target))
		return 0;
	index = search_first(plt->slots, plt->count, target, slot_is_at_or_behind);
	slot = &plt->slots[index];
	if (index == plt->count || slot->vaddr != target ||
	    !(slot->resolver ? name_resolver(plt, slot->resolver, &symbol)
			     : name_symbol(plt, slot->symbol, &symbol)))
		return 0;
	return symbol_list_add(plt->list, &symbol);
}

static int read_stubs(struct plt *plt, const char *name)
{
	const Elf64_Shdr *header = sections_header(plt->sections, name);
	uint32_t bytes =
		header && header->sh_entsize == SHORT_STUB_BYTES ? SHORT_STUB_BYTES : STUB_BYTES;
	struct section section;
	int r;

	if (!header)
		return 0;
	if (header->sh_size > PLT_SECTION_MAX)
		return PARSER_TOO_LARGE;
	r = sections_load_header(plt->sections, header, &section);
	if (!r && section.size > UINT64_MAX - section.vaddr)
		return PARSER_MALFORMED;
	for (uint64_t at = 0; !r && at + bytes <= section.size; at += bytes)
		r = read_stub(plt, section.bytes + at, bytes, section.vaddr + at);
	return r;
}

static const Elf64_Shdr *dynsym_of(const struct image *image)
{
	for (uint32_t i = 0; i < image->section_count; i++)
		if (image->sections[i].sh_type == SHT_DYNSYM)
			return &image->sections[i];
	return NULL;
}

int plt_read(const struct sections *sections, const struct symbol_ranges *resolvers,
	     struct symbol_list *list)
{
	static const char *const relocations[] = {".rela.plt", ".rela.dyn"};
	static const char *const stubs[] = {".plt", ".plt.got", ".plt.sec"};
	struct plt plt = {.sections = sections, .resolvers = resolvers, .list = list};
	const Elf64_Shdr *dynsym = dynsym_of(sections->image);
	int r = 0;

	if (dynsym && dynsym->sh_size <= PLT_DYNSYM_MAX)
		r = sections_load_header(sections, dynsym, &plt.dynsym);
	for (uint32_t i = 0; !r && i < sizeof(relocations) / sizeof(relocations[0]); i++)
		r = read_slots(&plt, relocations[i]);
	if (plt.count)
		qsort(plt.slots, plt.count, sizeof(*plt.slots), by_vaddr);
	for (uint32_t i = 0; !r && plt.count && i < sizeof(stubs) / sizeof(stubs[0]); i++)
		r = read_stubs(&plt, stubs[i]);
	free(plt.slots);
	return r;
}
