/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symbols - the symbol table of whole files: which name bears which range, and what is left
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/elf/symbol_reader.h"
#include "tests/unit/parser/compiled_symbols.h"

#define GLOBAL_FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNCTION  ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define WEAK_FUNCTION   ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define GLOBAL_LABEL    ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

/* The name at an offset of the text of the compiled table, or "" for none. */
static const char *found_at(uint64_t offset)
{
	return name_at(ELF_BUILDER_VADDR + offset);
}

static const char *name_of(uint64_t offset)
{
	assert_int_equal(compile(), PARSER_OK);
	return found_at(offset);
}

static void function_covers_its_size_and_no_more(void **state)
{
	elf_builder_symbol(&elf, "second", 0x40, 0x10, LOCAL_FUNCTION);
	elf_builder_symbol(&elf, "first", 0x10, 0x10, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x0f), "");
	assert_string_equal(found_at(0x10), "first");
	assert_string_equal(found_at(0x1f), "first");
	assert_string_equal(found_at(0x20), "");
	assert_string_equal(found_at(0x4f), "second");
	assert_string_equal(found_at(0x50), "");
	assert_int_equal(view.header->symbol_count, 2);
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_SYMTAB);
}

static void function_that_another_interrupts_goes_on_behind_it(void **state)
{
	elf_builder_symbol(&elf, "outer", 0x0, 0x100, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "inner", 0x20, 0x10, LOCAL_FUNCTION);
	assert_string_equal(name_of(0x1f), "outer");
	assert_string_equal(found_at(0x20), "inner");
	assert_string_equal(found_at(0x30), "outer");
	assert_int_equal(view.header->symbol_count, 3);
	assert_int_equal(view.symbols[0].name, view.symbols[2].name);
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
		assert_int_equal(view.header->symbol_count, 1);
		elf_builder_open(&elf);
		for (size_t i = count; i > best; i--)
			elf_builder_symbol(&elf, by_rank[i - 1].name, 0x10, 0x10,
					   by_rank[i - 1].info);
		assert_string_equal(name_of(0x18), by_rank[best].name);
	}
}

static void longer_alias_goes_on_where_the_better_one_ends(void **state)
{
	elf_builder_symbol(&elf, "better", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "longer", 0x10, 0x20, LOCAL_FUNCTION);
	elf_builder_symbol(&elf, "shortest", 0x10, 0x8, WEAK_FUNCTION);
	assert_string_equal(name_of(0x17), "better");
	assert_string_equal(found_at(0x1f), "better");
	assert_string_equal(found_at(0x20), "longer");
	assert_int_equal(view.header->symbol_count, 2);
}

static void label_without_size_reaches_to_the_next_symbol(void **state)
{
	elf_builder_symbol(&elf, "label", 0x10, 0, GLOBAL_LABEL);
	elf_builder_symbol(&elf, "sized", 0x40, 0x10, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x0f), "");
	assert_string_equal(found_at(0x3f), "label");
	assert_string_equal(found_at(0x40), "sized");
	assert_string_equal(found_at(0x60), "");
	elf.sections[1].sh_size = 0x20;
	assert_string_equal(name_of(0x1f), "label");
	assert_string_equal(found_at(0x20), "");
	elf.sections[1].sh_flags = SHF_ALLOC;
	assert_string_equal(name_of(0x1f), "");
}

static void what_is_no_code_names_nothing(void **state)
{
	elf_builder_symbol(&elf, "object", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT));
	elf_builder_symbol(&elf, "file", 0x10, 0x10, ELF64_ST_INFO(STB_LOCAL, STT_FILE));
	elf_builder_symbol(&elf, "tls", 0x10, 0x10, ELF64_ST_INFO(STB_LOCAL, STT_TLS));
	elf_builder_symbol(&elf, ".Llocal", 0x10, 0x10, GLOBAL_LABEL);
	elf_builder_symbol(&elf, "", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "elsewhere", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.symbols[elf.symbol_count - 1].st_shndx = SHN_UNDEF;
	assert_string_equal(name_of(0x18), "");
	assert_int_equal(view.header->flags, 0);
	elf_builder_symbol(&elf, "ifunc", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC));
	assert_string_equal(name_of(0x18), "ifunc");
}

static void dynamic_table_fills_the_gaps_of_the_full_one(void **state)
{
	elf_builder_symbol(&elf, "__real", 0x10, 0x10, WEAK_FUNCTION);
	elf_builder_dynamic(&elf, "exported", 0x8, 0x20, GLOBAL_FUNCTION);
	elf_builder_dynamic(&elf, "only", 0x30, 0x10, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x0f), "exported");
	assert_string_equal(found_at(0x18), "__real");
	assert_string_equal(found_at(0x20), "exported");
	assert_string_equal(found_at(0x28), "");
	assert_string_equal(found_at(0x38), "only");
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_SYMTAB | PARSER_SYMBOLS_HAS_DYNSYM);
}

static void header_says_what_the_file_is(void **state)
{
	assert_int_equal(compile(), PARSER_OK);
	assert_int_equal(view.header->build_id_bytes, 4);
	assert_memory_equal(view.header->build_id, "\1\2\3\4", 4);
	assert_int_equal(view.header->segment_count, 1);
	assert_int_equal(view.segments[0].offset, ELF_BUILDER_TEXT);
	assert_int_equal(view.segments[0].vaddr, ELF_BUILDER_VADDR);
	assert_int_equal(view.segments[0].bytes, 0x1000);
	assert_int_equal(view.segments[0].flags, PF_R | PF_X);
	assert_int_equal(view.header->debuglink, PARSER_NO_NAME);
	assert_int_equal(view.header->altlink, PARSER_NO_NAME);
	assert_true(bytes_read < ELF_BUILDER_BYTES - sizeof(elf.text)); /* no code */
}

static void one_table_that_makes_no_sense_leaves_the_other(void **state)
{
	static const uint64_t wild[] = {ELF_BUILDER_BYTES, 1ull << 40, UINT64_MAX};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		for (int section = 2; section <= 3; section++) {
			elf_builder_open(&elf);
			elf_builder_symbol(&elf, "full", 0x10, 0x10, GLOBAL_FUNCTION);
			elf_builder_dynamic(&elf, "dynamic", 0x10, 0x20, GLOBAL_FUNCTION);
			elf.sections[section].sh_size = wild[i];
			assert_string_equal(name_of(0x18), "dynamic");
			assert_int_equal(view.header->flags,
					 PARSER_SYMBOLS_HAS_DYNSYM | PARSER_SYMBOLS_MALFORMED);
			elf.sections[section + 2].sh_offset = wild[i];
			assert_string_equal(name_of(0x18), "");
			assert_int_equal(view.header->flags, PARSER_SYMBOLS_MALFORMED);
		}
	elf.sections[2].sh_link = elf.sections[4].sh_link = 0xffffffff;
	assert_string_equal(name_of(0x18), "");
}

static void name_without_end_or_beyond_is_none(void **state)
{
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
	elf_builder_symbol(&elf, "a", 0x10, UINT64_MAX, GLOBAL_FUNCTION);
	assert_string_equal(name_of(0x18), "");
}

/* --- files that are larger than what is built: behind that, one name of 'x' */

#define VAST_BYTES    (512u << 20)
#define VAST_NAME_END (10u << 20) /* in the strings */

static int read_vast(void *context, void *to, uint64_t offset, size_t bytes)
{
	size_t built = offset < ELF_BUILDER_BYTES ? ELF_BUILDER_BYTES - offset : 0;
	uint64_t end = elf.sections[3].sh_offset + VAST_NAME_END;

	assert_true(offset <= VAST_BYTES && bytes <= VAST_BYTES - offset);
	built = built < bytes ? built : bytes;
	memcpy(to, (const uint8_t *)context + offset, built);
	memset((uint8_t *)to + built, 'x', bytes - built);
	if (end >= offset && end - offset < bytes)
		((uint8_t *)to)[end - offset] = '\0';
	return 0;
}

static void compile_vast(void)
{
	struct image_source source = {read_vast, &elf, VAST_BYTES};

	result_blob_free(&result);
	assert_int_equal(symbols_compile(&result, &source), PARSER_OK);
	assert_null(symbols_view_open(&view, result.data, result.bytes));
}

static void strings_beyond_the_limit_cost_only_the_names_there(void **state)
{
	elf_builder_symbol(&elf, "near", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_symbol(&elf, "far", 0x20, 0x10, GLOBAL_FUNCTION);
	elf.symbols[2].st_name = SYMBOL_READER_STRINGS_MAX + 1;
	elf_builder_dynamic(&elf, "dynamic", 0x20, 0x10, GLOBAL_FUNCTION);
	elf.sections[3].sh_size = 300u << 20;
	compile_vast();
	assert_string_equal(found_at(0x18), "near");
	assert_string_equal(found_at(0x28), "dynamic");
	assert_int_equal(view.header->flags, PARSER_SYMBOLS_HAS_SYMTAB | PARSER_SYMBOLS_HAS_DYNSYM |
						     PARSER_SYMBOLS_TRUNCATED);
}

static void name_of_ten_megabytes_is_cut(void **state)
{
	elf_builder_symbol(&elf, "vast", 0x10, 0x10, GLOBAL_FUNCTION);
	elf.symbols[1].st_name = (uint32_t)(ELF_BUILDER_BYTES - elf.sections[3].sh_offset);
	elf.sections[3].sh_size = VAST_NAME_END + 1;
	compile_vast();
	assert_int_equal(strlen(found_at(0x18)), PARSER_NAME_MAX);
	assert_int_equal(view.header->name_bytes, PARSER_NAME_MAX + 1);
}

static void more_symbols_than_fit_are_left_out(void **state)
{
	elf_builder_symbol(&elf, "a", 0x10, 0x10, GLOBAL_FUNCTION);
	elf_builder_dynamic(&elf, "dynamic", 0x20, 0x10, GLOBAL_FUNCTION);
	elf.sections[2].sh_size = (SYMBOL_READER_ENTRIES_MAX + 1ull) * sizeof(Elf64_Sym);
	compile_vast();
	assert_string_equal(found_at(0x18), "a");
	assert_string_equal(found_at(0x28), "dynamic");
	assert_true(view.header->flags & PARSER_SYMBOLS_TRUNCATED);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, open_elf, free_result)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(function_covers_its_size_and_no_more),
		claim(function_that_another_interrupts_goes_on_behind_it),
		claim(aliases_are_chosen_the_same_way_in_any_order),
		claim(longer_alias_goes_on_where_the_better_one_ends),
		claim(label_without_size_reaches_to_the_next_symbol),
		claim(what_is_no_code_names_nothing),
		claim(dynamic_table_fills_the_gaps_of_the_full_one),
		claim(header_says_what_the_file_is),
		claim(one_table_that_makes_no_sense_leaves_the_other),
		claim(name_without_end_or_beyond_is_none),
		claim(symbol_that_wraps_around_names_nothing),
		claim(strings_beyond_the_limit_cost_only_the_names_there),
		claim(name_of_ten_megabytes_is_cut),
		claim(more_symbols_than_fit_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
