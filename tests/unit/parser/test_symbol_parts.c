/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbol_parts - names from .gnu_debugdata, PLT and pclntab, and the links to debug files
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lzma.h>

#include "symbolizer/parser/elf/minidebug.h"
#include "tests/unit/parser/compiled_symbols.h"

#define FUNCTION  ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define PLT       0x402000u /* its address; that of the GOT: */
#define GOT       0x404000u

#define GLOB_DAT  6u
#define JUMP_SLOT 7u
#define IRELATIVE 37u

static void compile_all(void)
{
	assert_int_equal(compile(), PARSER_OK);
}

/* --- PLT -------------------------------------------------------------------------------------- */

/* A stub: @prefix bytes of @code, then a jump through slot @slot of the GOT. */
static void put_stub(uint8_t *stub, uint64_t vaddr, const char *code, size_t prefix, uint32_t slot)
{
	int32_t distance = (int32_t)(GOT + 8 * slot - (vaddr + prefix + 6));

	memcpy(stub, code, prefix);
	memcpy(stub + prefix, "\xff\x25", 2);
	memcpy(stub + prefix + 2, &distance, sizeof(distance));
}

static Elf64_Rela relocation(uint32_t slot, uint32_t type, uint32_t symbol, int64_t addend)
{
	return (Elf64_Rela){GOT + 8 * slot, ELF64_R_INFO((uint64_t)symbol, type), addend};
}

/* Undefined symbols 1 and 2 of .dynsym. */
static void put_imports(void)
{
	elf_builder_dynamic(&elf, "puts", 0, 0, FUNCTION);
	elf_builder_dynamic(&elf, "malloc", 0, 0, FUNCTION);
	for (uint32_t i = 1; i <= 2; i++)
		elf.dynamic[i] = (Elf64_Sym){.st_name = elf.dynamic[i].st_name,
					     .st_info = elf.dynamic[i].st_info};
}

static void stub_bears_the_name_of_the_function_it_calls(void **state)
{
	const Elf64_Rela calls[] = {relocation(3, JUMP_SLOT, 1, 0), relocation(4, JUMP_SLOT, 2, 0)};
	uint8_t stubs[4][16] = {{0}};

	put_imports();
	put_stub(stubs[0], PLT, "\xff\x35\0\0\0\0", 6, 2); /* the first one calls the loader */
	put_stub(stubs[1], PLT + 16, "", 0, 3);
	put_stub(stubs[2], PLT + 32, "\xf3\x0f\x1e\xfa\xf2", 5, 4);
	put_stub(stubs[3], PLT + 48, "\xf3\x0f\x1e\xfa\x41\xbb\x01\0\0\0", 10, 3);
	elf_builder_section(&elf, ".plt", stubs, sizeof(stubs), PLT)->sh_entsize = 16;
	elf_builder_section(&elf, ".rela.plt", calls, sizeof(calls), 0);
	compile_all();
	assert_string_equal(name_at(PLT + 15), "");
	assert_string_equal(name_at(PLT + 16), "puts@plt");
	assert_string_equal(name_at(PLT + 31), "puts@plt");
	assert_string_equal(name_at(PLT + 47), "malloc@plt");
	assert_string_equal(name_at(PLT + 48), "puts@plt");
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_PLT);
}

static void short_stubs_and_indirect_functions_are_named(void **state)
{
	const Elf64_Rela slots[] = {relocation(1, IRELATIVE, 0, ELF_BUILDER_VADDR + 0x10),
				    relocation(0, GLOB_DAT, 1, 0),
				    relocation(2, IRELATIVE, 0, ELF_BUILDER_VADDR + 0x18)};
	uint8_t stubs[3][8];

	put_imports();
	elf_builder_dynamic(&elf, "memcpy", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC));
	for (uint32_t i = 0; i < 3; i++)
		put_stub(stubs[i], PLT + 8 * i, "", 0, i);
	elf_builder_section(&elf, ".plt.got", stubs, sizeof(stubs), PLT)->sh_entsize = 8;
	elf_builder_section(&elf, ".rela.dyn", slots, sizeof(slots), 0);
	compile_all();
	assert_string_equal(name_at(PLT), "puts@plt");
	assert_string_equal(name_at(PLT + 8), "memcpy@plt");
	assert_string_equal(name_at(PLT + 16), ""); /* no symbol begins there */
}

static void wild_relocations_and_stubs_name_nothing(void **state)
{
	Elf64_Rela calls[] = {relocation(0, JUMP_SLOT, 0, 0),
			      relocation(1, JUMP_SLOT, 999, 0),
			      relocation(2, JUMP_SLOT, UINT32_MAX, 0),
			      {UINT64_MAX, JUMP_SLOT, 0}};
	uint8_t stubs[4][16] = {{0}};

	put_imports();
	for (uint32_t i = 0; i < 3; i++)
		put_stub(stubs[i], PLT + 16 * i, "", 0, i);
	memset(stubs[3], 0xff, 16);
	elf_builder_section(&elf, ".plt", stubs, sizeof(stubs), PLT);
	elf_builder_section(&elf, ".rela.plt", calls, sizeof(calls), 0);
	compile_all();
	assert_int_equal(view.header->symbol_count, 0);
	elf.sections[7].sh_addr = UINT64_MAX - 16;
	compile_all();
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_MALFORMED);
	elf.sections[7].sh_addr = PLT;
	elf.sections[7].sh_size = PARSER_SYMBOLS_NAMES_MAX;
	compile_all();
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_TRUNCATED);
}

/* --- .gnu_debugdata --------------------------------------------------------------------------- */

static uint8_t packed[ELF_BUILDER_CONTENT];

/* Packs @bytes, @times in a row. Return: the packed bytes. */
static uint32_t pack(const void *bytes, size_t count, uint32_t times)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret code = LZMA_OK;

	stream.next_out = packed;
	stream.avail_out = sizeof(packed);
	assert_int_equal(lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC32), LZMA_OK);
	for (uint32_t i = 0; i < times && code == LZMA_OK; i++) {
		stream.next_in = bytes;
		stream.avail_in = count;
		while (stream.avail_in && code == LZMA_OK)
			code = lzma_code(&stream, LZMA_RUN);
	}
	while (code == LZMA_OK)
		code = lzma_code(&stream, LZMA_FINISH);
	assert_int_equal(code, LZMA_STREAM_END);
	lzma_end(&stream);
	return (uint32_t)(sizeof(packed) - stream.avail_out);
}

/* The file has the packed symbol `hidden`, and `exported` in .dynsym. */
static Elf64_Shdr *put_minidebug(void)
{
	static struct elf_builder inner;

	elf_builder_open(&inner);
	elf_builder_symbol(&inner, "hidden", 0x40, 0x10, FUNCTION);
	elf_builder_symbol(&inner, "low", 0x10, 0x10, FUNCTION);
	elf_builder_dynamic(&elf, "exported", 0x10, 0x10, FUNCTION);
	elf_builder_dynamic(&elf, "label", 0x30, 0, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE));
	return elf_builder_section(&elf, ".gnu_debugdata", packed,
				   pack(&inner, ELF_BUILDER_BYTES, 1), 0);
}

static void packed_symbols_and_dynamic_ones_are_one_table(void **state)
{
	(void)put_minidebug();
	compile_all();
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x18), "exported");
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x38), "label");
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x48), "hidden");
	assert_int_equal(view.header->flags,
			 PARSER_SYMBOLS_HAS_DYNSYM | PARSER_SYMBOLS_HAS_MINIDEBUG);
	elf_builder_symbol(&elf, "full", 0x40, 0x8, FUNCTION);
	compile_all();
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x47), "full");
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x48), "hidden");
}

static void packed_symbols_that_make_no_sense_cost_only_themselves(void **state)
{
	Elf64_Shdr *section = put_minidebug();
	uint64_t bytes = section->sh_size;

	for (uint64_t cut = 1; cut < bytes; cut += 7) {
		section->sh_size = bytes - cut;
		compile_all();
		assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x18), "exported");
		assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x48), "label");
		assert_true(view.header->flags & PARSER_SYMBOLS_MALFORMED);
	}
	section->sh_size = bytes;
	for (uint64_t at = 0; at < bytes; at += 11) {
		elf.content[at] ^= 0x55;
		compile_all();
		assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x18), "exported");
		elf.content[at] ^= 0x55;
	}
}

static void bomb_costs_only_itself(void **state)
{
	static const uint8_t zeros[1 << 20];
	const uint32_t unpacked = MINIDEBUG_MAX / sizeof(zeros);
	Elf64_Shdr *section;

	elf_builder_dynamic(&elf, "exported", 0x10, 0x10, FUNCTION);
	section = elf_builder_section(&elf, ".gnu_debugdata", packed,
				      pack(zeros, sizeof(zeros), unpacked), 0);
	compile_all();
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_DYNSYM | PARSER_SYMBOLS_MALFORMED);
	section->sh_size = pack(zeros, sizeof(zeros), unpacked + 1);
	memcpy(elf.content, packed, sizeof(packed));
	compile_all();
	assert_string_equal(name_at(ELF_BUILDER_VADDR + 0x18), "exported");
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_DYNSYM | PARSER_SYMBOLS_TRUNCATED);
	section->sh_size = MINIDEBUG_PACKED_MAX + 1;
	compile_all();
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_DYNSYM | PARSER_SYMBOLS_TRUNCATED);
}

/* --- links ------------------------------------------------------------------------------------ */

static void links_to_debug_files_are_recorded(void **state)
{
	elf_builder_section(&elf, ".gnu_debuglink", "a.debug\0\x78\x56\x34\x12", 12, 0);
	elf_builder_section(&elf, ".gnu_debugaltlink", "/dwz/common\0\1\2\3\4", 16, 0);
	compile_all();
	assert_string_equal(view.names + view.header->debuglink, "a.debug");
	assert_int_equal(view.header->debuglink_crc, 0x12345678);
	assert_string_equal(view.names + view.header->altlink, "/dwz/common");
	assert_int_equal(view.header->altlink_build_id_bytes, 4);
	assert_memory_equal(view.header->altlink_build_id, "\1\2\3\4", 4);
	assert_int_equal(view.header->flags, 0);
}

static void malformed_links_are_none(void **state)
{
	Elf64_Shdr *link = elf_builder_section(&elf, ".gnu_debuglink", "abcdefg\0crc!", 12, 0);
	Elf64_Shdr *alt = elf_builder_section(&elf, ".gnu_debugaltlink", "/path", 5, 0);

	for (uint32_t bytes = 1; bytes < 12; bytes++) {
		link->sh_size = bytes;
		compile_all();
		assert_int_equal(view.header->debuglink, PARSER_NO_NAME);
		assert_int_equal(view.header->altlink, PARSER_NO_NAME);
		assert_int_equal(view.header->flags, PARSER_SYMBOLS_MALFORMED);
	}
	alt->sh_size = 6 + PARSER_BUILD_ID_MAX + 1;
	compile_all();
	assert_int_equal(view.header->altlink, PARSER_NO_NAME);
	alt->sh_size = 1 << 20;
	compile_all();
	assert_int_equal(view.header->altlink, PARSER_NO_NAME);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, open_elf, free_result)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(stub_bears_the_name_of_the_function_it_calls),
		claim(short_stubs_and_indirect_functions_are_named),
		claim(wild_relocations_and_stubs_name_nothing),
		claim(packed_symbols_and_dynamic_ones_are_one_table),
		claim(packed_symbols_that_make_no_sense_cost_only_themselves),
		claim(bomb_costs_only_itself),
		claim(links_to_debug_files_are_recorded),
		claim(malformed_links_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
