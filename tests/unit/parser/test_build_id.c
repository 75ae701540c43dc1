/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_build_id - build ids of GNU's and Go's linkers, from sections and segments, true and false
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/parser/elf/build_id.h"
#include "symbolizer/parser/elf/htlhash.h"
#include "tests/unit/parser/compiled_symbols.h"

#define GO_ID "abcDEF0123-_/456789/x/y"

struct go_note {
	Elf64_Nhdr header;
	char name[4];
	char id[BUILD_ID_GO_MAX + 4];
};

static void compile_all(void)
{
	assert_int_equal(compile(), PARSER_OK);
}

static struct go_note go_note(const char *id)
{
	struct go_note note = {.header = {4, (uint32_t)strlen(id), 4}, .name = "Go"};

	memcpy(note.id, id, strlen(id));
	return note;
}

static const char *go_id(void)
{
	return view.header->go_build_id == PARSER_NO_NAME ? NULL
							  : view.names + view.header->go_build_id;
}

/* As Go's linker leaves it: lines bear the id from the section, and were refused as another's. */
static void build_id_may_be_in_a_section_without_a_segment(void **state)
{
	struct {
		Elf64_Nhdr header;
		char name[4], id[4];
	} note = {{4, 4, NT_GNU_BUILD_ID}, "GNU", {5, 6, 7, 8}};

	elf.segments[1].p_type = PT_NULL;
	compile_all();
	assert_int_equal(view.header->build_id_bytes, 0);
	elf_builder_section(&elf, ".note.gnu.build-id", &note, sizeof(note), 0);
	compile_all();
	assert_int_equal(view.header->build_id_bytes, 4);
	assert_memory_equal(view.header->build_id, "\5\6\7\10", 4);
}

static void go_build_id_is_the_text_in_its_section(void **state)
{
	struct go_note note = go_note(GO_ID);

	compile_all();
	assert_null(go_id());
	elf_builder_section(&elf, ".note.go.buildid", &note, sizeof(note), 0);
	compile_all();
	assert_string_equal(go_id(), GO_ID);
	assert_int_equal(view.header->build_id_bytes, 4); /* and GNU's is still there */
}

static void go_build_id_may_be_in_a_segment_alone(void **state)
{
	struct go_note note = go_note(GO_ID);
	const Elf64_Shdr *section = elf_builder_section(&elf, ".other", &note, sizeof(note), 0);

	elf.segments[1].p_offset = section->sh_offset;
	elf.segments[1].p_filesz = section->sh_size;
	compile_all();
	assert_string_equal(go_id(), GO_ID);
	assert_int_equal(view.header->build_id_bytes, 0);
}

static void text_that_is_no_id_of_go_is_none(void **state)
{
	static const char *const texts[] = {"", "a b", "a\n", "\x7f", "\xff"};
	struct go_note note;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		note = go_note(texts[i]);
		elf_builder_open(&elf);
		elf_builder_section(&elf, ".note.go.buildid", &note, sizeof(note), 0);
		compile_all();
		assert_null(go_id());
	}
	note = go_note(GO_ID);
	memset(note.id, 'x', sizeof(note.id));
	for (uint32_t bytes = BUILD_ID_GO_MAX; bytes <= BUILD_ID_GO_MAX + 1; bytes++) {
		note.header.n_descsz = bytes;
		elf_builder_open(&elf);
		elf_builder_section(&elf, ".note.go.buildid", &note, sizeof(note), 0);
		compile_all();
		assert_true(bytes > BUILD_ID_GO_MAX ? !go_id() : strlen(go_id()) == bytes);
	}
}

static void every_table_has_the_hash_of_its_file(void **state)
{
	const struct image_source source = {read_memory, &elf, ELF_BUILDER_BYTES};
	uint8_t hash[PARSER_HTLHASH_BYTES];

	compile_all();
	assert_int_equal(htlhash_read(&source, hash), 0);
	assert_int_equal(view.header->has_htlhash, 1);
	assert_memory_equal(view.header->htlhash, hash, sizeof(hash));
}

#define claim(test) cmocka_unit_test_setup_teardown(test, open_elf, free_result)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(build_id_may_be_in_a_section_without_a_segment),
		claim(go_build_id_is_the_text_in_its_section),
		claim(go_build_id_may_be_in_a_segment_alone),
		claim(text_that_is_no_id_of_go_is_none),
		claim(every_table_has_the_hash_of_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
