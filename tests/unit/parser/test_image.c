/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_image - headers and notes of ELF files, well-formed or not, and files that change
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/input.h"
#include "tests/unit/parser/compiled_symbols.h"

static int setup(void **state)
{
	(void)open_elf(state);
	elf_builder_symbol(&elf, "a", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
	return 0;
}

/* Compiles the file, then builds it anew. */
static void expect_status(int status)
{
	assert_int_equal(compile(), status);
	(void)setup(NULL);
}

static void extended_numbering_is_understood(void **state)
{
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = 6;
	expect_status(PARSER_OK);
	assert_non_null(symbols_view_find(&view, ELF_BUILDER_VADDR + 0x18));
}

static void malformed_headers_are_refused(void **state)
{
	elf.header.e_ident[0] = 0;
	expect_status(PARSER_NOT_ELF);
	elf.header.e_ident[EI_CLASS] = ELFCLASS32;
	expect_status(PARSER_NOT_ELF);
	elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
	expect_status(PARSER_NOT_ELF);
	elf.header.e_machine = EM_AARCH64;
	expect_status(PARSER_NOT_ELF);
	elf.header.e_shoff = UINT64_MAX - 7;
	expect_status(PARSER_MALFORMED);
	elf.header.e_phoff = UINT64_MAX - 7;
	expect_status(PARSER_MALFORMED);
	elf.header.e_shentsize = 1;
	expect_status(PARSER_MALFORMED);
	elf.header.e_phentsize = 0xffff;
	expect_status(PARSER_MALFORMED);
	elf.header.e_shnum = 0;
	elf.sections[0].sh_size = UINT64_MAX;
	expect_status(PARSER_TOO_LARGE);
	elf.header.e_shnum = 0xff00;
	expect_status(PARSER_MALFORMED);
}

static void malformed_note_gives_no_build_id(void **state)
{
	expect_status(PARSER_OK);
	assert_int_equal(view.header->build_id_bytes, 4);
	for (uint32_t wild = 5; wild != 0; wild <<= 1) {
		elf.note.header.n_descsz = wild;
		expect_status(PARSER_OK);
		assert_int_equal(view.header->build_id_bytes, 0);
	}
	elf.segments[1].p_offset = UINT64_MAX;
	expect_status(PARSER_OK);
	assert_int_equal(view.header->build_id_bytes, 0);
	assert_true(view.header->flags & PARSER_SYMBOLS_MALFORMED);
}

static void segments_that_overlap_in_the_file_are_not_both_kept(void **state)
{
	elf.segments[1] = elf.segments[0];
	elf.segments[1].p_flags = PF_R;
	elf.segments[1].p_offset = 0;
	elf.segments[1].p_filesz = ELF_BUILDER_TEXT + 1;
	expect_status(PARSER_OK);
	assert_int_equal(view.header->segment_count, 1);
	assert_int_equal(view.segments[0].offset, ELF_BUILDER_TEXT);
	elf.segments[1] = elf.segments[0];
	elf.segments[1].p_flags = PF_R;
	elf.segments[1].p_offset = 0;
	elf.segments[1].p_filesz = ELF_BUILDER_TEXT;
	expect_status(PARSER_OK);
	assert_int_equal(view.header->segment_count, 2);
	assert_int_equal(view.segments[1].offset, ELF_BUILDER_TEXT);
}

static void bytes_are_found_in_a_section_wherever_they_lie(void **state)
{
	const struct image_source source = {read_memory, &elf, ELF_BUILDER_BYTES};
	const Elf64_Shdr beyond = {.sh_offset = ELF_BUILDER_BYTES, .sh_size = 1};
	static const char text[ELF_BUILDER_CONTENT];
	struct sections sections;
	Elf64_Shdr *header = elf_builder_section(&elf, "text", text, sizeof(text), 0);
	struct image image;
	bool found;

	assert_int_equal(image_open(&image, &source), 0);
	assert_int_equal(sections_open(&sections, &image, &source), 0);
	for (uint32_t at = 0; at <= sizeof(text) - 5; at++) {
		memset(elf.content, '.', sizeof(elf.content));
		memcpy(elf.content + at, "found", 5);
		assert_int_equal(sections_contain(&sections, header, "found", 5, &found), 0);
		assert_true(found);
	}
	elf.content[sizeof(text) - 1] = '.';
	assert_int_equal(sections_contain(&sections, header, "found", 5, &found), 0);
	assert_false(found);
	assert_int_equal(sections_contain(&sections, &beyond, "found", 5, &found), 0);
	assert_false(found);
	image_close(&image);
}

static void file_that_changes_is_noticed(void **state)
{
	struct image_source source;
	struct input input;
	int fd = memfd_create("target", MFD_CLOEXEC);

	assert_int_equal(write(fd, &elf, ELF_BUILDER_BYTES), ELF_BUILDER_BYTES);
	assert_int_equal(input_open_file(&input, fd, &source), 0);
	assert_int_equal(source.bytes, ELF_BUILDER_BYTES);
	assert_true(input_is_unchanged(&input));
	assert_int_equal(ftruncate(fd, ELF_BUILDER_BYTES - 1), 0);
	assert_false(input_is_unchanged(&input));
	/* Bytes behind the new end are not read as zeros. */
	assert_true(source.read(source.context, &elf, 0, ELF_BUILDER_BYTES) < 0);
	(void)close(fd);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, free_result)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(extended_numbering_is_understood),
		claim(malformed_headers_are_refused),
		claim(malformed_note_gives_no_build_id),
		claim(segments_that_overlap_in_the_file_are_not_both_kept),
		claim(bytes_are_found_in_a_section_wherever_they_lie),
		claim(file_that_changes_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
