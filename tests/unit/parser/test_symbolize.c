/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbolize - names offsets by the symbols of an ELF file, and stays in bounds in malformed
 * files
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/names/result_check.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/symbolize.h"
#include "tests/unit/parser/elf_builder.h"

#define GLOBAL_FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNCTION  ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define WEAK_FUNCTION   ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define GLOBAL_LABEL    ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

static struct elf_builder elf;
static struct result_blob result;
static struct result_check checked;
static uint64_t bytes_read;

static int read_memory(void *context, void *to, uint64_t offset, size_t bytes)
{
	memcpy(to, (const uint8_t *)context + offset, bytes);
	bytes_read += bytes;
	return 0;
}

static int symbolize(const uint64_t *offsets, uint32_t count)
{
	struct image_source source = {read_memory, &elf, ELF_BUILDER_BYTES};
	int status;

	bytes_read = 0;
	status = symbolize_offsets(&result, &source, offsets, count);
	if (status == PARSER_OK)
		assert_int_equal(result_check_check(&checked, result.data, result.bytes, count), 0);
	return status;
}

/* The name of one offset of the text, or "" for none. */
static const char *name_of(uint64_t offset)
{
	static char name[ELF_BUILDER_STRINGS];
	uint64_t file_offset = ELF_BUILDER_TEXT + offset;

	name[0] = '\0';
	assert_int_equal(symbolize(&file_offset, 1), PARSER_OK);
	assert_int_equal(checked.symbols[0].vaddr, ELF_BUILDER_VADDR + offset);
	if (checked.symbols[0].name != PARSER_NO_NAME)
		strncpy(name, checked.names + checked.symbols[0].name, sizeof(name) - 1);
	result_blob_free(&result);
	return name;
}

static void function_covers_its_size_and_no_more(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "first", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "second", 0x40, 0x10, LOCAL_FUNCTION);
	assert_string_equal(name_of(0x0f), "");
	assert_string_equal(name_of(0x10), "first");
	assert_string_equal(name_of(0x1f), "first");
	assert_string_equal(name_of(0x20), "");
	assert_string_equal(name_of(0x4f), "second");
	assert_string_equal(name_of(0x50), "");
}

static void innermost_function_is_the_last_to_begin(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "outer", 0x0, 0x100, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "inner", 0x20, 0x10, LOCAL_FUNCTION);
	assert_string_equal(name_of(0x1f), "outer");
	assert_string_equal(name_of(0x20), "inner");
	assert_string_equal(name_of(0x30), "outer");
}

static void aliases_are_chosen_the_same_way_in_any_order(void **state)
{
	static const struct {
		const char *name;
		uint8_t info;
	} by_rank[] = {
		{"zz_long", GLOBAL_FUNCTION}, {"a_long", GLOBAL_FUNCTION}, /* longer first */
		{"abc", GLOBAL_FUNCTION},     {"abd", GLOBAL_FUNCTION},    /* then by bytes */
		{"_under", GLOBAL_FUNCTION},  {"local", LOCAL_FUNCTION},
		{"weak", WEAK_FUNCTION},      {"label", GLOBAL_LABEL},
	};
	const size_t count = sizeof(by_rank) / sizeof(by_rank[0]);

	for (size_t best = 0; best < count; best++) {
		elf_builder_open(&elf);
		for (size_t i = best; i < count; i++)
			elf_builder_symbol(&elf, by_rank[i].name, 0x10, 0x10, by_rank[i].info);
		assert_string_equal(name_of(0x18), by_rank[best].name);
		elf_builder_open(&elf);
		for (size_t i = count; i > best; i--)
			elf_builder_symbol(&elf, by_rank[i - 1].name, 0x10, 0x10,
					   by_rank[i - 1].info);
		assert_string_equal(name_of(0x18), by_rank[best].name);
	}
}

static void label_without_size_extends_to_the_next_symbol(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "label", 0x10, 0, GLOBAL_LABEL);
	elf_builder_symbol(&elf, "sized", 0x40, 0x10, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x0f), "");
	assert_string_equal(name_of(0x3f), "label");
	assert_string_equal(name_of(0x40), "sized");
	assert_string_equal(name_of(0x60), "");
	elf.sections[1].sh_size = 0x20;
	assert_string_equal(name_of(0x1f), "label");
	assert_string_equal(name_of(0x20), "");
}

static void symbols_other_than_code_name_nothing(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "object", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT));
	elf_builder_symbol(&elf, ".Llocal", 0x10, 0x10, GLOBAL_LABEL);
	elf_builder_symbol(&elf, "", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "elsewhere", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.symbols[elf.symbol_count - 1].st_shndx = SHN_UNDEF;
	assert_string_equal(name_of(0x18), "");
	elf_builder_symbol(&elf, "ifunc", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC));
	assert_string_equal(name_of(0x18), "ifunc");
}

static void full_table_wins_over_the_dynamic_one(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "__real", 0x10, 0x10, WEAK_FUNCTION);
	elf_builder_dynamic(&elf, "exported", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_dynamic(&elf, "only", 0x30, 0x10, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x18), "__real");
	assert_string_equal(name_of(0x38), "only");
}

static void many_offsets_are_answered_in_their_order(void **state)
{
	uint64_t offsets[] = {0x10, ELF_BUILDER_TEXT + 0x11, ELF_BUILDER_TEXT + 0x12,
			      ELF_BUILDER_TEXT + 0x31, 0x10000000};

	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "b", 0x30, 0x10, GLOBAL_FUNCTION);
	assert_int_equal(symbolize(offsets, 5), PARSER_OK);
	assert_false(checked.symbols[0].has_vaddr);
	assert_int_equal(checked.symbols[0].name, PARSER_NO_NAME);
	assert_string_equal(checked.names + checked.symbols[1].name, "a");
	assert_int_equal(checked.symbols[1].name, checked.symbols[2].name);
	assert_int_equal(checked.symbols[1].start, ELF_BUILDER_VADDR + 0x10);
	assert_string_equal(checked.names + checked.symbols[3].name, "b");
	assert_false(checked.symbols[4].has_vaddr);
	assert_int_equal(checked.header->build_id_bytes, 4);
	assert_memory_equal(checked.header->build_id, "\1\2\3\4", 4);
	assert_int_equal(checked.header->segment_vaddr, ELF_BUILDER_VADDR);
	assert_int_equal(checked.header->segment_offset, ELF_BUILDER_TEXT);
	assert_int_equal(checked.header->segment_bytes, 0x1000);
	assert_true(checked.header->has_symbols);
	result_blob_free(&result);
}

static void only_headers_symbols_and_notes_are_read(void **state)
{
	uint64_t offset = ELF_BUILDER_TEXT;

	elf_builder_open(&elf);
	assert_int_equal(symbolize(&offset, 1), PARSER_OK);
	assert_true(bytes_read < ELF_BUILDER_BYTES - sizeof(elf.text));
	result_blob_free(&result);
}

static void extended_numbering_is_understood(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = 6;
	assert_string_equal(name_of(0x18), "a");
}

static void expect_status(int status)
{
	uint64_t offset = ELF_BUILDER_TEXT + 0x18;

	assert_int_equal(symbolize(&offset, 1), status);
	result_blob_free(&result);
}

static void malformed_headers_are_refused(void **state)
{
	elf_builder_open(&elf);
	elf.header.e_ident[0] = 0;
	expect_status(PARSER_NOT_ELF);
	elf_builder_open(&elf);
	elf.header.e_ident[EI_CLASS] = ELFCLASS32;
	expect_status(PARSER_NOT_ELF);
	elf_builder_open(&elf);
	elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
	expect_status(PARSER_NOT_ELF);
	elf_builder_open(&elf);
	elf.header.e_machine = EM_AARCH64;
	expect_status(PARSER_NOT_ELF);
	elf_builder_open(&elf);
	elf.header.e_shoff = UINT64_MAX - 7;
	expect_status(PARSER_MALFORMED);
	elf_builder_open(&elf);
	elf.header.e_phoff = UINT64_MAX - 7;
	expect_status(PARSER_MALFORMED);
	elf_builder_open(&elf);
	elf.header.e_shentsize = 1;
	expect_status(PARSER_MALFORMED);
	elf_builder_open(&elf);
	elf.header.e_phentsize = 0xffff;
	expect_status(PARSER_MALFORMED);
	elf_builder_open(&elf);
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = UINT64_MAX;
	expect_status(PARSER_TOO_LARGE);
	elf_builder_open(&elf);
	elf.header.e_shnum = 0xff00;
	expect_status(PARSER_MALFORMED);
}

static void malformed_section_names_nothing(void **state)
{
	static const uint64_t wild[] = {0, 1, 2, ELF_BUILDER_BYTES, 1ull << 40, UINT64_MAX};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		for (int section = 2; section <= 3; section++) {
			elf_builder_open(&elf);
			elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
			elf.sections[section].sh_size = wild[i];
			assert_string_equal(name_of(0x18), "");
		}
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.sections[2].sh_offset = 1ull << 50;
	assert_string_equal(name_of(0x18), "");
	elf.sections[2].sh_offset = offsetof(struct elf_builder, symbols);
	elf.sections[2].sh_link = 0xffffffff;
	assert_string_equal(name_of(0x18), "");
	elf.sections[2].sh_link = 2;
	assert_string_equal(name_of(0x18), "");
	elf.sections[2].sh_link = 3;
	elf.sections[2].sh_flags = SHF_COMPRESSED;
	assert_string_equal(name_of(0x18), "");
	elf.sections[2].sh_flags = 0;
	elf.sections[3].sh_type = SHT_NOBITS;
	assert_string_equal(name_of(0x18), "");
}

static void overlapping_sections_stay_in_bounds(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	for (int i = 1; i < 6; i++) {
		elf.sections[i].sh_offset = 0;
		elf.sections[i].sh_size = ELF_BUILDER_BYTES / 24 * 24;
	}
	(void)name_of(0x18);
}

static void unterminated_or_misplaced_name_is_ignored(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.symbols[1].st_name = ELF_BUILDER_STRINGS;
	assert_string_equal(name_of(0x18), "");
	elf.symbols[1].st_name = 0xffffffff;
	assert_string_equal(name_of(0x18), "");
	elf.symbols[1].st_name = 1;
	memset(elf.strings, 'x', sizeof(elf.strings));
	assert_string_equal(name_of(0x18), "");
}

static void symbol_that_wraps_around_names_nothing(void **state)
{
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "a", 0x10, UINT64_MAX, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x18), "");
}

static void malformed_note_gives_no_build_id(void **state)
{
	uint64_t offset = ELF_BUILDER_TEXT;

	for (uint32_t wild = 5; wild != 0; wild <<= 1) {
		elf_builder_open(&elf);
		elf.note.header.n_descsz = wild;
		assert_int_equal(symbolize(&offset, 1), PARSER_OK);
		assert_int_equal(checked.header->build_id_bytes, 0);
		result_blob_free(&result);
	}
	elf_builder_open(&elf);
	elf.segments[1].p_offset = UINT64_MAX;
	assert_int_equal(symbolize(&offset, 1), PARSER_OK);
	assert_int_equal(checked.header->build_id_bytes, 0);
	result_blob_free(&result);
}

static void file_that_changes_is_noticed(void **state)
{
	struct image_source source;
	struct input input;
	int fd = memfd_create("target", MFD_CLOEXEC);

	elf_builder_open(&elf);
	assert_int_equal(write(fd, &elf, ELF_BUILDER_BYTES), ELF_BUILDER_BYTES);
	assert_int_equal(input_open_file(&input, fd, &source), 0);
	assert_int_equal(source.bytes, ELF_BUILDER_BYTES);
	assert_true(input_is_unchanged(&input));
	assert_int_equal(ftruncate(fd, ELF_BUILDER_BYTES - 1), 0);
	assert_false(input_is_unchanged(&input));
	/* Bytes beyond the new end are not read as zeros. */
	assert_true(source.read(source.context, &elf, 0, ELF_BUILDER_BYTES) < 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_covers_its_size_and_no_more),
		cmocka_unit_test(innermost_function_is_the_last_to_begin),
		cmocka_unit_test(aliases_are_chosen_the_same_way_in_any_order),
		cmocka_unit_test(label_without_size_extends_to_the_next_symbol),
		cmocka_unit_test(symbols_other_than_code_name_nothing),
		cmocka_unit_test(full_table_wins_over_the_dynamic_one),
		cmocka_unit_test(many_offsets_are_answered_in_their_order),
		cmocka_unit_test(only_headers_symbols_and_notes_are_read),
		cmocka_unit_test(extended_numbering_is_understood),
		cmocka_unit_test(malformed_headers_are_refused),
		cmocka_unit_test(malformed_section_names_nothing),
		cmocka_unit_test(overlapping_sections_stay_in_bounds),
		cmocka_unit_test(unterminated_or_misplaced_name_is_ignored),
		cmocka_unit_test(symbol_that_wraps_around_names_nothing),
		cmocka_unit_test(malformed_note_gives_no_build_id),
		cmocka_unit_test(file_that_changes_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
