/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_java_stubs - the descriptions of HotSpot's stubs are known by a symbol and the version
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(descriptions_are_those_of_the_version, teardown),
		cmocka_unit_test_teardown(without_the_symbol_all_else_is_known, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
