/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_java_stubs - the descriptions of HotSpot's stubs are known by a symbol and the version, the
 * codelets of its interpreter by its tables
 */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/unit/parser/java_builder.h"

#define STUBS 0x600100u /* StubCodeDesc::_list; an address in no segment */

static struct java_builder builder;
static struct result_blob result;

static int teardown(void **state)
{
	result_blob_free(&result);
	return 0;
}

/* A .symtab, with the entries of .dynsym. */
static void open(enum tm_java_scopes scopes, const char *name)
{
	struct java_builder_content *content;
	Elf64_Shdr *header;
	uint32_t at;

	java_builder_open(&builder, scopes, NULL);
	content = builder.content;
	at = (uint32_t)(sizeof(content->strings) - strlen(name) - 1);
	memcpy(content->strings + at, name, strlen(name) + 1);
	content->symbols[5] = (Elf64_Sym){.st_name = at, .st_shndx = 1, .st_value = STUBS};
	header = &builder.elf.sections[builder.elf.header->e_shnum++];
	*header = builder.sections[0];
	header->sh_type = SHT_SYMTAB;
}

static const struct tm_java *compile(uint32_t version)
{
	struct tm_unwind_table_view view;

	result_blob_free(&result);
	assert_int_equal(cfi_builder_compile(&builder.elf, &result), PARSER_OK);
	assert_int_equal(tm_unwind_table_check(&view, result.data, result.bytes), 0);
	assert_non_null(view.runtime);
	assert_int_equal(view.runtime->version, version);
	return &view.runtime->java;
}

static void expect_known(const struct tm_java *java, uint16_t begin)
{
	assert_int_equal(java->stubs, STUBS - CFI_BUILDER_DELTA);
	assert_int_equal(java->stub_next, 0);
	assert_int_equal(java->stub_name, 16);
	assert_int_equal(java->stub_begin, begin);
	assert_int_equal(java->stub_end, begin + 8);
}

static void expect_unknown(const struct tm_java *java)
{
	assert_int_equal(java->stubs, 0);
	assert_int_equal(java->stub_next, TM_RUNTIME_NONE);
	assert_int_equal(java->stub_end, TM_RUNTIME_NONE);
}

static void descriptions_are_those_of_the_version(void **state)
{
	static const struct {
		uint32_t version;
		uint16_t begin; /* 0: not known */
	} cases[] = {{9, 0}, {10, 0}, {11, 24}, {17, 24}, {27, 24}};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tm_java *java;

		open(TM_JAVA_ADDRESS, "_ZN12StubCodeDesc5_listE");
		memcpy(builder.elf.file + JAVA_BUILDER_CONTENT - 8, &cases[i].version, 4);
		java = compile(cases[i].version);
		if (cases[i].begin)
			expect_known(java, cases[i].begin);
		else
			expect_unknown(java);
	}
	open(TM_JAVA_OFFSETS, "_ZN12StubCodeDesc5_listE");
	expect_known(compile(8), 32);
}

static void without_the_symbol_all_else_is_known(void **state)
{
	open(TM_JAVA_ADDRESS, "_ZN12StubCodeDesc5_lastE");
	expect_unknown(compile(17));
	java_builder_open(&builder, TM_JAVA_ADDRESS, NULL);
	expect_unknown(compile(17));
}

static void codelets_are_known_in_each_form(void **state)
{
	static const uint32_t versions[TM_JAVA_SCOPES_N] = {8, 17, 23, 25};

	for (uint32_t form = 0; form < TM_JAVA_SCOPES_N; form++) {
		const struct tm_java *java;

		java_builder_open(&builder, form, NULL);
		java = compile(versions[form]);
		assert_int_equal(java->codelets, JAVA_BUILDER_CODELETS - CFI_BUILDER_DELTA);
		assert_int_equal(java->queue_codelets, 8);
		assert_int_equal(java->codelet_bytes, 12);
		assert_int_equal(java->codelet_name, 0);
	}
}

/* All else is. */
static void codelets_without_one_of_their_fields_are_not_known(void **state)
{
	static const char *const names[] = {"_code", "_stub_buffer", "_size", "_description"};

	for (uint32_t i = 0; i < 2 * sizeof(names) / sizeof(names[0]); i++) {
		struct java_builder_field *field;

		java_builder_open(&builder, TM_JAVA_ADDRESS, NULL);
		field = java_builder_find(&builder, names[i / 2]);
		if (i % 2 || field->is_static)
			field->name = java_builder_text(&builder, "_other");
		else
			field->kind = java_builder_text(&builder, "bool"); /* another width */
		assert_int_equal(compile(17)->codelets, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(codelets_are_known_in_each_form, teardown),
		cmocka_unit_test_teardown(codelets_without_one_of_their_fields_are_not_known,
					  teardown),
		cmocka_unit_test_teardown(descriptions_are_those_of_the_version, teardown),
		cmocka_unit_test_teardown(without_the_symbol_all_else_is_known, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
