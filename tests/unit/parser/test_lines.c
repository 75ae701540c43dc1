/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines - calls and lines of compiled programs in each form, and of programs that lie
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/names/lines_check.h"
#include "symbolizer/parser/dwarf/debug_sections.h"
#include "symbolizer/parser/dwarf/lines.h"

#define PROGRAM_MAX (1u << 20)

struct program {
	uint8_t *bytes; /* owned */
	size_t count;
};

static const char *folder;
static struct result_blob result;
static struct lines_check checked;

static int read_memory(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct program *program = context;

	assert_true(offset <= program->count && bytes <= program->count - offset);
	memcpy(to, program->bytes + offset, bytes);
	return 0;
}

static struct program load(const char *form)
{
	struct program program = {malloc(PROGRAM_MAX), 0};
	char path[PATH_MAX];
	ssize_t count;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/lines_%s", folder, form);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s cannot be opened", path);
	count = read(fd, program.bytes, PROGRAM_MAX);
	assert_true(count > 0 && count < PROGRAM_MAX);
	program.count = (size_t)count;
	(void)close(fd);
	return program;
}

static void unload(struct program *program)
{
	free(program->bytes);
	result_blob_free(&result);
}

static Elf64_Shdr *header_of(const struct program *program, const char *name)
{
	Elf64_Ehdr *file = (void *)program->bytes;
	Elf64_Shdr *sections = (void *)(program->bytes + file->e_shoff);
	const char *names = (const char *)program->bytes + sections[file->e_shstrndx].sh_offset;

	for (uint32_t i = 0; i < file->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, name) == 0)
			return &sections[i];
	return NULL;
}

/* The address of a label, from .symtab. */
static uint64_t address_of(const struct program *program, const char *label)
{
	const Elf64_Shdr *table = header_of(program, ".symtab");
	const Elf64_Shdr *strings = header_of(program, ".strtab");
	const Elf64_Sym *symbols = (const void *)(program->bytes + table->sh_offset);
	const char *names = (const char *)program->bytes + strings->sh_offset;

	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		if (strcmp(names + symbols[i].st_name, label) == 0)
			return symbols[i].st_value;
	fail_msg("the program has no label %s", label);
	return 0;
}

static int find(struct program *program, struct program *debug, uint64_t vaddr)
{
	const struct image_source source = {read_memory, program, program->count};
	struct image_source debug_source = {0};
	int status;

	if (debug)
		debug_source = (struct image_source){read_memory, debug, debug->count};
	result_blob_free(&result);
	status = lines_find(&result, &source, debug ? &debug_source : NULL, &vaddr, 1);
	if (status == PARSER_OK)
		assert_int_equal(lines_check_check(&checked, result.data, result.bytes, 1), 0);
	return status;
}

static void expect_call(uint32_t index, const char *function, uint32_t line, uint32_t start_line)
{
	const struct parser_call *call = &checked.calls[checked.places[0].first_call + index];
	const char *file;

	assert_int_not_equal(call->function, PARSER_NO_NAME);
	assert_string_equal(checked.names + call->function, function);
	assert_int_not_equal(call->file, PARSER_NO_NAME);
	file = checked.names + call->file;
	assert_true(file[0] == '/');
	assert_non_null(strstr(file, "tests/unit/parser/lines_program.c"));
	assert_int_equal(call->line, line);
	if (start_line)
		assert_int_equal(call->start_line, start_line);
}

/* The program of lines_program.c, whatever form its debug information has. */
static void expect_program(struct program *program, struct program *debug)
{
	assert_int_equal(find(program, debug, address_of(program, "place_inner")), PARSER_OK);
	assert_int_equal(checked.header->flags, PARSER_LINES_HAS_DWARF);
	assert_int_equal(checked.places[0].call_count, 3);
	expect_call(0, "lines_inner", 1001, 0);
	expect_call(1, "lines_middle", 2001, 0);
	expect_call(2, "lines_outer", 3003, 3001);
	assert_int_equal(find(program, debug, address_of(program, "place_middle")), PARSER_OK);
	assert_int_equal(checked.places[0].call_count, 2);
	expect_call(0, "lines_middle", 2003, 0);
	expect_call(1, "lines_outer", 3003, 3001);
	assert_int_equal(find(program, debug, address_of(program, "place_outer")), PARSER_OK);
	assert_int_equal(checked.places[0].call_count, 1);
	expect_call(0, "lines_outer", 3005, 3001);
}

static void expect_form(const char *form)
{
	struct program program = load(form);

	expect_program(&program, NULL);
	unload(&program);
}

static void dwarf_4_and_5_are_read(void **state)
{
	expect_form("dwarf4");
	expect_form("dwarf5");
}

static void compressed_sections_are_inflated(void **state)
{
	struct program program;

	expect_form("zlib");
	expect_form("zlib_gnu");
	expect_form("zstd");
	program = load("zlib");
	assert_true(header_of(&program, ".debug_info")->sh_flags & SHF_COMPRESSED);
	unload(&program);
	program = load("zlib_gnu");
	assert_non_null(header_of(&program, ".zdebug_info"));
	unload(&program);
	program = load("zstd");
	assert_true(header_of(&program, ".debug_info")->sh_flags & SHF_COMPRESSED);
	unload(&program);
}

static void file_without_aranges_is_read(void **state)
{
	struct program program = load("no_aranges");

	assert_null(header_of(&program, ".debug_aranges"));
	unload(&program);
	expect_form("no_aranges");
}

static void linkage_name_is_preferred_and_found_through_the_declaration(void **state)
{
	struct program program = load("cxx");

	assert_int_equal(find(&program, NULL, address_of(&program, "place_inner")), PARSER_OK);
	assert_int_equal(checked.places[0].call_count, 2);
	expect_call(0, "_ZN5scope5adder5twiceEi", 1001, 0);
	expect_call(1, "_ZN5scope5adder3addEi", 3003, 3001);
	unload(&program);
}

static void functions_of_a_split_file_are_missing_and_its_lines_are_not(void **state)
{
	static const char *const forms[] = {"split", "split4"};

	for (int i = 0; i < 2; i++) {
		struct program program = load(forms[i]);
		const struct parser_call *call;

		assert_int_equal(find(&program, NULL, address_of(&program, "place_inner")),
				 PARSER_OK);
		assert_true(checked.header->flags & PARSER_LINES_SPLIT_DEBUG);
		assert_int_equal(checked.places[0].call_count, 1);
		call = &checked.calls[checked.places[0].first_call];
		assert_int_equal(call->function, PARSER_NO_NAME);
		assert_int_equal(call->line, 1001);
		unload(&program);
	}
}

static void separate_debug_file_replaces_the_file(void **state)
{
	struct program program = load("stripped"), debug = load("debug_only");

	assert_int_equal(find(&program, NULL, address_of(&program, "place_inner")), PARSER_OK);
	assert_int_equal(checked.header->flags, 0);
	assert_int_equal(checked.places[0].call_count, 0);
	expect_program(&program, &debug);
	unload(&debug);
	unload(&program);
}

static void debug_file_with_another_build_id_is_refused(void **state)
{
	struct program program = load("stripped"), debug = load("debug_only");
	Elf64_Shdr *note = header_of(&debug, ".note.gnu.build-id");
	uint64_t vaddr = address_of(&program, "place_inner");

	debug.bytes[note->sh_offset + note->sh_size - 1] ^= 1;
	assert_int_equal(find(&program, &debug, vaddr), PARSER_REFUSED);
	debug.bytes[note->sh_offset + note->sh_size - 1] ^= 1;
	assert_int_equal(find(&program, &debug, vaddr), PARSER_OK);
	/* Two files without a build id are no pair. */
	memset(debug.bytes + note->sh_offset, 0, note->sh_size);
	note = header_of(&program, ".note.gnu.build-id");
	memset(program.bytes + note->sh_offset, 0, note->sh_size);
	assert_int_equal(find(&program, &debug, vaddr), PARSER_REFUSED);
	unload(&debug);
	unload(&program);
}

static void inflated_size_is_believed_up_to_the_limit(void **state)
{
	static const char *const forms[] = {"zlib", "zstd"};

	for (int i = 0; i < 2; i++) {
		struct program program = load(forms[i]);
		uint64_t vaddr = address_of(&program, "place_inner");
		Elf64_Shdr *section = header_of(&program, ".debug_info");
		Elf64_Chdr *header = (void *)(program.bytes + section->sh_offset);
		uint64_t bytes = header->ch_size;

		header->ch_size = DEBUG_SECTIONS_MAX;
		assert_int_equal(find(&program, NULL, vaddr), PARSER_TOO_LARGE);
		header->ch_size = UINT64_MAX;
		assert_int_equal(find(&program, NULL, vaddr), PARSER_TOO_LARGE);
		for (uint64_t lie = bytes - 1; lie <= bytes + 1; lie += 2) {
			header->ch_size = lie;
			assert_int_equal(find(&program, NULL, vaddr), PARSER_OK);
			assert_int_equal(checked.places[0].call_count, 0);
			assert_true(checked.header->flags & PARSER_LINES_MALFORMED);
		}
		header->ch_size = bytes;
		header->ch_type = 77;
		assert_int_equal(find(&program, NULL, vaddr), PARSER_OK);
		assert_int_equal(checked.places[0].call_count, 0);
		unload(&program);
	}
}

static void sections_beyond_the_limit_are_too_large(void **state)
{
	struct program program = load("dwarf5");
	uint64_t vaddr = address_of(&program, "place_inner");

	header_of(&program, ".debug_str")->sh_size = 1ull << 60;
	assert_int_equal(find(&program, NULL, vaddr), PARSER_OK); /* beyond the file: absent */
	header_of(&program, ".debug_line")->sh_offset = UINT64_MAX;
	assert_int_equal(find(&program, NULL, vaddr), PARSER_OK);
	header_of(&program, ".debug_info")->sh_type = SHT_NOBITS;
	assert_int_equal(find(&program, NULL, vaddr), PARSER_OK);
	assert_int_equal(checked.header->flags, 0);
	unload(&program);
}

static void addresses_that_do_not_ascend_are_refused(void **state)
{
	struct program program = load("dwarf5");
	const struct image_source source = {read_memory, &program, program.count};
	const uint64_t equal[] = {0x1000, 0x1000}, falling[] = {0x1001, 0x1000};

	assert_int_equal(lines_find(&result, &source, NULL, equal, 2), PARSER_REFUSED);
	assert_int_equal(lines_find(&result, &source, NULL, falling, 2), PARSER_REFUSED);
	assert_int_equal(lines_find(&result, &source, NULL, equal, 0), PARSER_OK);
	unload(&program);
}

static void every_address_has_its_own_calls(void **state)
{
	enum {
		BEFORE = 0x100,
		COUNT = 0x1000
	};
	static uint64_t vaddrs[COUNT];
	struct program program = load("dwarf4");
	const struct image_source source = {read_memory, &program, program.count};
	uint64_t first = address_of(&program, "lines_outer");
	bool seen_three = false;

	for (uint32_t i = 0; i < COUNT; i++)
		vaddrs[i] = first - BEFORE + i;
	assert_int_equal(lines_find(&result, &source, NULL, vaddrs, COUNT), PARSER_OK);
	assert_int_equal(lines_check_check(&checked, result.data, result.bytes, COUNT), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct parser_place *place = &checked.places[i];
		const struct parser_call *last;

		seen_three |= place->call_count == 3;
		if (!place->call_count)
			continue;
		last = &checked.calls[place->first_call + place->call_count - 1];
		if (vaddrs[i] == first)
			assert_string_equal(checked.names + last->function, "lines_outer");
	}
	assert_true(checked.places[BEFORE].call_count > 0);
	assert_true(seen_three);
	unload(&program);
}

static void table_of_lines_is_checked_whole(void **state)
{
	struct program program = load("dwarf5");
	struct parser_line_table *table;
	struct parser_place *place;
	struct parser_call *call;

	assert_int_equal(find(&program, NULL, address_of(&program, "place_inner")), PARSER_OK);
	table = result.data;
	place = (void *)(table + 1);
	call = (void *)(place + 1);
#define expect_refused(field, value)                                                              \
	do {                                                                                      \
		uint32_t kept = (field);                                                          \
		(field) = (value);                                                                \
		assert_int_equal(lines_check_check(&checked, result.data, result.bytes, 1), -74); \
		(field) = kept;                                                                   \
		assert_int_equal(lines_check_check(&checked, result.data, result.bytes, 1), 0);   \
	} while (0)
	expect_refused(table->magic, 0);
	expect_refused(table->place_count, 2);
	expect_refused(table->call_count, table->call_count + 100);
	expect_refused(table->call_count, PARSER_CALLS_MAX + 1);
	expect_refused(table->name_bytes, table->name_bytes + 1);
	expect_refused(table->name_bytes, table->name_bytes - 1);
	expect_refused(table->flags, PARSER_LINES_FLAGS_ALL + 1);
	expect_refused(place->first_call, 1);
	expect_refused(place->first_call, UINT32_MAX);
	expect_refused(place->call_count, 4);
	expect_refused(place->call_count, UINT32_MAX);
	expect_refused(call->function, table->name_bytes);
	expect_refused(call->file, table->name_bytes);
	unload(&program);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwarf_4_and_5_are_read),
		cmocka_unit_test(compressed_sections_are_inflated),
		cmocka_unit_test(file_without_aranges_is_read),
		cmocka_unit_test(linkage_name_is_preferred_and_found_through_the_declaration),
		cmocka_unit_test(functions_of_a_split_file_are_missing_and_its_lines_are_not),
		cmocka_unit_test(separate_debug_file_replaces_the_file),
		cmocka_unit_test(debug_file_with_another_build_id_is_refused),
		cmocka_unit_test(inflated_size_is_believed_up_to_the_limit),
		cmocka_unit_test(sections_beyond_the_limit_are_too_large),
		cmocka_unit_test(addresses_that_do_not_ascend_are_refused),
		cmocka_unit_test(every_address_has_its_own_calls),
		cmocka_unit_test(table_of_lines_is_checked_whole),
	};

	if (argc != 2)
		return 2;
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
