/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_seeds - builds the seeds of the corpus symbols: ELF files, well-formed and hostile
 */

#include "tests/fuzz/symbol_seeds.h"

#include <lzma.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/parser/elf_builder.h"
#include "tests/unit/parser/pclntab_builder.h"

#define FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LABEL    ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)
#define PLT      0x402000u
#define GOT      0x404000u

static struct elf_builder elf;
static unwind_seeds_put_fn put;

static void put_file(const char *name)
{
	put("symbols", name, &elf, ELF_BUILDER_BYTES, false);
}

static void add_symbols(void)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "outer", 0x10, 0x100, FUNCTION);
	elf_builder_symbol(&elf, "inner", 0x20, 0x10, FUNCTION);
	elf_builder_symbol(&elf, "_alias", 0x20, 0x20, FUNCTION);
	elf_builder_symbol(&elf, "label", 0x200, 0, LABEL);
	elf_builder_dynamic(&elf, "exported", 0x100, 0x40, FUNCTION);
	elf_builder_dynamic(&elf, "imported", 0, 0, FUNCTION);
	elf.dynamic[2].st_shndx = SHN_UNDEF;
}

static void add_plt(void)
{
	const Elf64_Rela calls[] = {{GOT, ELF64_R_INFO(2ull, 7), 0},
				    {GOT + 8, 37, ELF_BUILDER_VADDR + 0x10}};
	uint8_t stubs[2][16] = {{0xff, 0x25, 0xfa, 0x1f, 0, 0},
				{0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xed, 0x1f, 0, 0}};

	elf_builder_section(&elf, ".plt.sec", stubs, sizeof(stubs), PLT)->sh_entsize = 16;
	elf_builder_section(&elf, ".rela.plt", calls, sizeof(calls), 0);
}

/* Without a checksum, so that a mutation of the content is not refused by that alone. */
static void add_minidebug(void)
{
	static uint8_t packed[ELF_BUILDER_CONTENT];
	static struct elf_builder whole;
	size_t bytes = 0;

	whole = elf;
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "hidden", 0x300, 0x10, FUNCTION);
	(void)lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL, (const uint8_t *)&elf,
				      ELF_BUILDER_BYTES, packed, &bytes, sizeof(packed));
	elf = whole;
	elf_builder_section(&elf, ".gnu_debugdata", packed, (uint32_t)bytes, 0);
}

static void add_links(void)
{
	elf_builder_section(&elf, ".gnu_debuglink", "a.debug\0crc!", 12, 0);
	elf_builder_section(&elf, ".gnu_debugaltlink", "/dwz/common\0\1\2\3\4", 16, 0);
}

static void add_go_build_id(void)
{
	const struct {
		Elf64_Nhdr header;
		char name[4], id[8];
	} note = {{4, 8, 4}, "Go", "abc/def/"};

	elf_builder_section(&elf, ".note.go.buildid", &note, sizeof(note), 0);
}

static void put_go(void)
{
	static const char *const names[] = {"go_1_2", "go_1_16", "go_1_18", "go_1_20"};
	const struct pclntab_builder_function functions[] = {{"main.one", 0x1000, 0, {NULL, 0}},
							     {"main.two", 0x1040, 0, {NULL, 0}},
							     {NULL, 0x10c0, 0, {NULL, 0}}};
	static uint8_t bytes[PCLNTAB_BUILDER_BYTES];

	for (enum pclntab_builder_version form = PCLNTAB_BUILDER_1_2; form <= PCLNTAB_BUILDER_1_20;
	     form++) {
		pclntab_builder_fill(bytes, form, functions);
		elf_builder_open(&elf);
		elf_builder_section(&elf, ".gopclntab", bytes, 0xc00, ELF_BUILDER_VADDR);
		put_file(names[form]);
	}
}

static void put_hostile(void)
{
	add_symbols();
	elf.sections[2].sh_size = (1ull << 32) * sizeof(Elf64_Sym);
	put_file("four_billion_symbols");
	add_symbols();
	elf.sections[3].sh_size = 300u << 20;
	put_file("vast_strings");
	add_symbols();
	memset(elf.strings, 'x', sizeof(elf.strings));
	put_file("unterminated_strings");
	add_symbols();
	for (int i = 2; i < 6; i++) {
		elf.sections[i].sh_offset = 0;
		elf.sections[i].sh_size = ELF_BUILDER_BYTES / 24 * 24;
	}
	put_file("overlapping_tables");
	add_symbols();
	for (uint32_t i = 1; i < elf.symbol_count; i++)
		elf.symbols[i].st_size = UINT64_MAX - i;
	elf.symbols[1].st_value = UINT64_MAX;
	put_file("wrapping_symbols");
}

void symbol_seeds_put(unwind_seeds_put_fn put_seed)
{
	put = put_seed;
	add_symbols();
	put_file("tables");
	add_plt();
	add_minidebug();
	add_links();
	add_go_build_id();
	put_file("all_parts");
	put_go();
	put_hostile();
}
