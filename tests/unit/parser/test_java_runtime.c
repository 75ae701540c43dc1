/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_java_runtime - a file with a HotSpot whose tables tell all is described; no other one is
 */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/unit/parser/java_builder.h"

#define RELATIVE 8u
#define ABSOLUTE 1u
#define NONE     TM_RUNTIME_NONE

static struct java_builder builder;
static struct result_blob result;
static struct tm_unwind_table_view view;

static const struct tm_runtime *compile(void)
{
	result_blob_free(&result);
	assert_int_equal(cfi_builder_compile(&builder.elf, &result), PARSER_OK);
	assert_int_equal(tm_unwind_table_check(&view, result.data, result.bytes), 0);
	return view.runtime;
}

/* The table is there, without a description. */
static void expect_none(void)
{
	assert_null(compile());
	assert_true(view.header->pages > 0);
	assert_int_equal(view.header->flags, 0);
}

static const struct tm_java *expect_version(uint32_t version)
{
	const struct tm_runtime *runtime = compile();

	assert_non_null(runtime);
	assert_int_equal(runtime->kind, TM_RUNTIME_JAVA);
	assert_int_equal(runtime->version, version);
	assert_int_equal(CFI_BUILDER_DELTA + runtime->state, JAVA_BUILDER_HEAPS);
	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		assert_int_equal(runtime->loops[i].end, 0);
	return &runtime->java;
}

static void open(const char *without)
{
	java_builder_open(&builder, TM_JAVA_ADDRESS, without);
}

static void rename_text(uint64_t text, char first)
{
	builder.elf.file[text - CFI_BUILDER_AWAY] = (uint8_t)first;
}

static Elf64_Rela *relocate(uint64_t *place, uint32_t type, uint32_t symbol)
{
	Elf64_Rela *relocation = &builder.content->relocations[0];

	*relocation = (Elf64_Rela){.r_offset = java_builder_vaddr(&builder, place),
				   .r_info = ELF64_R_INFO((uint64_t)symbol, type),
				   .r_addend = (int64_t)*place};
	*place = 0;
	return relocation;
}

static int teardown(void **state)
{
	result_blob_free(&result);
	return 0;
}

static void fields_and_their_widths_are_found(void **state)
{
	const struct tm_java *java;

	open(NULL);
	java = expect_version(17);
	assert_int_equal(java->scopes, TM_JAVA_ADDRESS);
	assert_int_equal(java->flags, 0);
	assert_int_equal(java->heap_low, 24 + 16);
	assert_int_equal(java->heap_high, 24 + 8);
	assert_int_equal(java->heap_segments, 120 + 16);
	assert_int_equal(java->block_used, 8);
	assert_int_equal(java->block_bytes, 16);
	assert_int_equal(java->blob_complete_bytes, 4);
	assert_int_equal(java->blob_code, 32);
	assert_int_equal(java->blob_code_bytes, 8);
	assert_int_equal(java->blob_data, NONE);
	assert_int_equal(java->blob_relocations, NONE);
	assert_int_equal(java->nmethod_deopt_bytes, 8);
	assert_int_equal(java->nmethod_immutable, NONE);
	assert_int_equal(java->nmethod_mutable, NONE);
	assert_int_equal(java->nmethod_pcs_end, 272);
	assert_int_equal(java->nmethod_scopes, 120);
	assert_int_equal(java->nmethod_metadata, 260);
	assert_int_equal(java->const_lines, 1);
	assert_int_equal(java->const_code, 48);
	assert_int_equal(java->pool_entries, 72);
	assert_int_equal(java->pool_file, 54);
	assert_int_equal(java->class_file, NONE);
	assert_int_equal(java->frame_method, -3);
	assert_int_equal(java->frame_code, -8);
}

static void what_fields_there_are_tells_the_form(void **state)
{
	const struct tm_java *java;

	java_builder_open(&builder, TM_JAVA_OFFSETS, NULL);
	java = expect_version(8);
	assert_int_equal(java->scopes, TM_JAVA_OFFSETS);
	assert_int_equal(java->flags, TM_JAVA_ONE_HEAP);
	assert_int_equal(java->class_file, 258);
	assert_int_equal(java->pool_file, NONE);
	assert_int_equal(java->nmethod_scopes, 276);
	assert_int_equal(java->nmethod_pcs_end, 272);
	assert_int_equal(java->frame_code, -7);
	java_builder_open(&builder, TM_JAVA_IMMUTABLE, NULL);
	java = expect_version(23);
	assert_int_equal(java->scopes, TM_JAVA_IMMUTABLE);
	assert_int_equal(java->blob_complete_bytes, 2);
	assert_int_equal(java->blob_data, 24);
	assert_int_equal(java->nmethod_immutable, 136);
	assert_int_equal(java->nmethod_metadata, 260);
	assert_int_equal(java->nmethod_pcs_end, 276);
	java_builder_open(&builder, TM_JAVA_MUTABLE, NULL);
	java = expect_version(25);
	assert_int_equal(java->scopes, TM_JAVA_MUTABLE);
	assert_int_equal(java->blob_relocations, 40);
	assert_int_equal(java->nmethod_mutable, 48);
	assert_int_equal(java->nmethod_metadata, NONE);
}

/* 12 to 15 */
static void the_length_of_a_symbol_may_be_half_of_a_field(void **state)
{
	struct java_builder_field *field;

	open("_body");
	field = java_builder_find(&builder, "_body");
	java_builder_store(&builder, java_builder_vaddr(&builder, &field->offset), 8);
	assert_int_equal(expect_version(17)->symbol_length, 4);
	field = java_builder_find(&builder, "_length");
	field->name = java_builder_text(&builder, "_length_and_refcount");
	expect_none();
	field->kind = java_builder_text(&builder, "unsigned int");
	assert_int_equal(expect_version(17)->symbol_length, 4 + 2);
}

/* Each field that the form has is needed; but CodeBlob::_data_offset in this one, "Other", and
 * those of codelets. */
static void without_one_field_there_is_no_description(void **state)
{
	open(NULL);
	for (uint32_t i = 1; i < builder.field_count - JAVA_BUILDER_CODELET; i++) {
		uint64_t name = builder.content->fields[i].name;

		open(NULL);
		if (java_builder_find(&builder, "_data_offset")->name == name)
			continue;
		rename_text(name, 'x');
		expect_none();
	}
}

static void without_one_number_there_is_no_description(void **state)
{
	for (uint32_t i = 0; i < 4; i++) {
		open(NULL);
		rename_text(builder.content->types[i].name, 'x');
		expect_none();
		open(NULL);
		builder.content->types[i].bytes = i == 1 ? 12 : 0;
		expect_none();
	}
	open(NULL);
	rename_text(builder.content->constants[0].name, 'x');
	expect_none();
}

static void an_offset_that_is_not_stored_or_not_known_has_no_description(void **state)
{
	static const uint8_t vector[] = {0x0f, 0x29, 0x05};
	struct java_builder_field *field;
	uint8_t code[7];
	uint32_t distance;

	open("_name_index");
	expect_none();
	java_builder_find(&builder, "_name_index")->offset = 36;
	expect_none();
	open(NULL);
	field = java_builder_find(&builder, "_name_index");
	java_builder_store(&builder, java_builder_vaddr(&builder, &field->offset), 36); /* again */
	(void)expect_version(17);
	java_builder_store(&builder, java_builder_vaddr(&builder, &field->offset), 40);
	expect_none();
	open(NULL);
	field = java_builder_find(&builder, "_name_index");
	memcpy(code, vector, sizeof(vector));
	distance = (uint32_t)java_builder_vaddr(&builder, &field->offset) -
		   (builder.code_end + CFI_BUILDER_DELTA + (uint32_t)sizeof(code));
	memcpy(code + 3, &distance, sizeof(distance));
	java_builder_code(&builder, (struct cfi_builder_bytes){code, sizeof(code)});
	expect_none();
}

static void initializers_that_did_not_run_leave_no_description(void **state)
{
	open(NULL);
	builder.content->initializers[0] = 0;
	expect_none();
	open(NULL);
	builder.sections[3].sh_size = 0;
	expect_none();
	open(NULL);
	builder.elf.file[JAVA_BUILDER_CODE] = 0xc3; /* ret */
	expect_none();
}

static void pointers_may_be_relocations(void **state)
{
	Elf64_Rela *relocation;

	open(NULL);
	(void)relocate(&builder.content->pointers[JAVA_BUILDER_STRUCTS], RELATIVE, 0);
	(void)expect_version(17);
	open(NULL);
	(void)relocate(&builder.content->initializers[0], RELATIVE, 0);
	(void)expect_version(17);
	open(NULL);
	relocation = relocate(&java_builder_find(&builder, "_heaps")->address, ABSOLUTE, 4);
	builder.content->symbols[4] =
		(Elf64_Sym){.st_shndx = 1, .st_value = (uint64_t)relocation->r_addend - 8};
	relocation->r_addend = 8;
	(void)expect_version(17);
	builder.content->symbols[4].st_shndx = SHN_UNDEF;
	expect_none();
	relocation->r_info = ELF64_R_INFO(77ull, ABSOLUTE);
	expect_none();
	relocation->r_info = 38; /* another kind */
	expect_none();
}

static void offsets_that_make_no_sense_have_no_description(void **state)
{
	static const struct {
		uint32_t offset;
		bool is_static;
		const char *kind;
	} cases[] = {{NONE, false, NULL},     {UINT32_MAX, false, NULL}, {300, false, NULL},
		     {304, true, NULL},       {304, false, "u2"},        {304, false, "address"},
		     {304, false, "Strange"}, {304, false, ""}};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct java_builder_field *field;
		uint64_t vaddr;

		open("_compile_id");
		field = java_builder_find(&builder, "_compile_id");
		vaddr = java_builder_vaddr(&builder, &field->offset);
		java_builder_store(&builder, vaddr, cases[i].offset);
		field->is_static = cases[i].is_static;
		if (cases[i].kind)
			field->kind = java_builder_text(&builder, cases[i].kind);
		expect_none();
	}
}

/* As some compilers do it. */
static void offsets_may_be_in_the_file(void **state)
{
	open(NULL);
	(void)expect_version(17);
	for (uint32_t i = 0; i < builder.field_count; i++)
		builder.content->fields[i].offset = 3ull * i * i;
	builder.content->initializers[0] = 0;
	assert_int_equal(expect_version(17)->nmethod_compile_id,
			 java_builder_find(&builder, "_compile_id")->offset);
	java_builder_find(&builder, "_compile_id")->offset =
		java_builder_find(&builder, "_orig_pc_offset")->offset;
	expect_none();
	java_builder_find(&builder, "_compile_id")->offset = 1ull << 32;
	expect_none();
}

static void versions_that_are_not_known_have_no_description(void **state)
{
	static const uint32_t versions[] = {0, 8, 256, UINT32_MAX};

	for (uint32_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		open(NULL);
		memcpy(builder.elf.file + JAVA_BUILDER_CONTENT - 8, &versions[i], 4);
		expect_none();
	}
	open(NULL);
	java_builder_find(&builder, "_vm_major_version")->address = 0;
	expect_none();
	open(NULL);
	java_builder_find(&builder, "_heaps")->address = 0;
	expect_none();
}

static void without_its_symbols_there_is_no_description(void **state)
{
	for (uint32_t i = JAVA_BUILDER_STRUCTS; i <= JAVA_BUILDER_CONSTANTS; i++) {
		open(NULL);
		builder.content->symbols[i].st_shndx = SHN_UNDEF;
		expect_none();
		open(NULL);
		builder.content->symbols[i].st_value = 0x700000; /* in no segment */
		expect_none();
		open(NULL);
		builder.content->pointers[i] = 0x700000;
		expect_none();
	}
	open(NULL);
	builder.elf.segments[1].p_flags = PF_R;
	expect_none();
}

static void tables_may_be_cut_anywhere(void **state)
{
	uint64_t whole;

	open(NULL);
	whole = builder.elf.segments[1].p_filesz;
	for (uint64_t bytes = JAVA_BUILDER_CONTENT - CFI_BUILDER_DATA; bytes < whole; bytes += 29) {
		builder.elf.segments[1].p_filesz = bytes;
		(void)compile();
	}
	open(NULL);
	memset(&builder.content->fields[builder.field_count], 0xff, /* no end, far names */
	       sizeof(*builder.content) - offsetof(struct java_builder_content, fields) -
		       builder.field_count * sizeof(builder.content->fields[0]));
	expect_none();
}

static void names_end_with_the_file(void **state)
{
	open(NULL);
	/* The last text, cut before its NUL: the last field is not found. */
	builder.elf.segments[1].p_filesz = JAVA_BUILDER_CONTENT - CFI_BUILDER_DATA +
					   offsetof(struct java_builder_content, texts) +
					   builder.text_bytes;
	(void)expect_version(17);
	builder.elf.segments[1].p_filesz--;
	expect_none();
}

#define claim(test) cmocka_unit_test_teardown(test, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(fields_and_their_widths_are_found),
		claim(what_fields_there_are_tells_the_form),
		claim(the_length_of_a_symbol_may_be_half_of_a_field),
		claim(without_one_field_there_is_no_description),
		claim(without_one_number_there_is_no_description),
		claim(an_offset_that_is_not_stored_or_not_known_has_no_description),
		claim(initializers_that_did_not_run_leave_no_description),
		claim(pointers_may_be_relocations),
		claim(offsets_that_make_no_sense_have_no_description),
		claim(offsets_may_be_in_the_file),
		claim(versions_that_are_not_known_have_no_description),
		claim(without_its_symbols_there_is_no_description),
		claim(tables_may_be_cut_anywhere),
		claim(names_end_with_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
