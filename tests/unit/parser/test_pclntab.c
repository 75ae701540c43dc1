/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pclntab - each version of Go's pclntab, well-formed and malformed
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parser/compiled_table.h"
#include "tests/unit/parser/pclntab_builder.h"
#include "tests/unit/parser/symbols_view.h"

#define CALL             "sp+8 ra=*(cfa-8) fp=same"
#define BY_FRAME_POINTER "fp+16 ra=*(cfa-8) fp=*(cfa-16)"
#define SIGNAL           "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal"

static struct cfi_builder builder;
static uint8_t bytes[PCLNTAB_BUILDER_BYTES];

static void put_word(uint32_t at, uint64_t value, uint32_t count)
{
	memcpy(bytes + at, &value, count);
}

static void make_table(enum pclntab_builder_version version,
		       const struct pclntab_builder_function *functions)
{
	pclntab_builder_fill(bytes, version, functions);
}

static void open_table(void)
{
	cfi_builder_open(&builder);
	(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
	compiled_table_open(&builder);
}

static int teardown(void **state)
{
	compiled_table_close();
	return 0;
}

/* pcsp: 0 for 4 bytes, 8 for 0x30, 0 for 4 */
#define FRAME BYTES(2, 4, 16, 0x30, 15, 4, 0)

static void every_version_is_read(void **state)
{
	for (enum pclntab_builder_version version = PCLNTAB_BUILDER_1_2;
	     version <= PCLNTAB_BUILDER_1_20; version++) {
		const struct pclntab_builder_function functions[] = {
			{"main.one", 0x1000, 0, FRAME},
			{"main.two", 0x1040, 0, BYTES(2, 0x40, 0)},
			{NULL, 0x1080, 0, BYTES(0)}};

		make_table(version, functions);
		open_table();
		compiled_table_expect(0xfff, "no row");
		compiled_table_expect(0x1000, CALL);
		compiled_table_expect(0x1004, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
		compiled_table_expect(0x1033, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
		compiled_table_expect(0x1034, CALL);
		compiled_table_expect(0x107f, CALL);
		compiled_table_expect(0x1080, "none");
		assert_int_equal(compiled_table_header()->frames, 2);
		assert_int_equal(compiled_table_header()->refused, 0);
		teardown(state);
	}
}

static void flags_mark_outermost_functions_and_stack_switches(void **state)
{
	for (enum pclntab_builder_version version = PCLNTAB_BUILDER_1_16;
	     version <= PCLNTAB_BUILDER_1_20; version++) {
		const struct pclntab_builder_function functions[] = {
			{"runtime.goexit", 0x1000, PCLNTAB_BUILDER_TOP_FRAME, FRAME},
			{"runtime.systemstack", 0x1040, PCLNTAB_BUILDER_SP_WRITE, FRAME},
			{"main.asm", 0x1080, PCLNTAB_BUILDER_ASSEMBLY, FRAME},
			{"runtime.mcall", 0x10c0, PCLNTAB_BUILDER_SP_WRITE, FRAME},
			{NULL, 0x1100, 0, BYTES(0)}};

		make_table(version, functions);
		open_table();
		compiled_table_expect(0x1000, "end");
		compiled_table_expect(0x1040, BY_FRAME_POINTER);
		compiled_table_expect(0x1084, "sp+16 ra=*(cfa-8) fp=same");
		compiled_table_expect(0x10c0, "end after a call");
		teardown(state);
	}
}

static void without_flags_names_mark_these_functions(void **state)
{
	const struct pclntab_builder_function functions[] = {
		{"runtime.goexit", 0x1000, 0, FRAME},
		{"runtime.systemstack", 0x1040, 0, FRAME},
		{NULL, 0x1080, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_2, functions);
	open_table();
	compiled_table_expect(0x1000, "end");
	compiled_table_expect(0x1040, BY_FRAME_POINTER);
}

static void signal_handler_is_unwound_to_the_interrupted_code(void **state)
{
	const struct pclntab_builder_function functions[] = {
		{"_rt0_amd64_linux", 0x1000, 0, FRAME},
		{"runtime.sigtramp", 0x1040, PCLNTAB_BUILDER_TOP_FRAME, BYTES(2, 0x40, 0)},
		{"runtime.sigreturn__sigaction", 0x1080, 0, BYTES(2, 0x10, 0)},
		{NULL, 0x10c0, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	open_table();
	compiled_table_expect(0x1000, "end");
	compiled_table_expect(0x1040, CALL);
	compiled_table_expect(0x107e, CALL);
	compiled_table_expect(0x107f, SIGNAL); /* a handler returns to the first byte */
	compiled_table_expect(0x1080, SIGNAL);
}

/* Renames a section, fills it with @data, and adds the pclntab as it is. */
static void open_with(enum cfi_builder_part part, const char *name, const void *data,
		      uint32_t count)
{
	char *names = (char *)builder.file;

	cfi_builder_open(&builder);
	names += builder.sections[1].sh_offset + builder.sections[2 + part].sh_name;
	memcpy(names, name, strlen(name) + 1);
	(void)cfi_builder_put(&builder, part, data, count);
	(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
	compiled_table_open(&builder);
}

static void relocated_text_start_is_found(void **state)
{
	const struct pclntab_builder_function functions[] = {{"main.one", 0x1000, 0, FRAME},
							     {NULL, 0x1040, 0, BYTES(0)}};
	Elf64_Rela relocations[2] = {
		{.r_offset = 0x50d018, .r_info = ELF64_R_INFO(1, 6), .r_addend = 0x401010},
		{.r_offset = 0x50d018, .r_info = 8, .r_addend = CFI_BUILDER_VADDR}};
	uint64_t module[32] = {[22] = CFI_BUILDER_VADDR};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	put_word(24, 0, 8);
	open_table(); /* it is found nowhere else */
	assert_int_equal(compiled_table_header()->rows, 0);
	open_with(CFI_BUILDER_EH_FRAME, ".rela.dyn", relocations, sizeof(relocations));
	compiled_table_expect(0x1000, CALL);
	open_with(CFI_BUILDER_DEBUG_FRAME, ".go.module", module, sizeof(module));
	compiled_table_expect(0x1000, CALL);
}

static void unknown_text_start_is_that_of_the_section(void **state)
{
	const struct pclntab_builder_function functions[] = {{"main.one", 0x1000, 0, FRAME},
							     {NULL, 0x1040, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	put_word(24, 0, 8);
	cfi_builder_open(&builder);
	(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
	memcpy(builder.file + builder.sections[1].sh_offset + builder.sections[2].sh_name, ".text",
	       6);
	builder.sections[2].sh_addr = CFI_BUILDER_VADDR;
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, CALL);
}

static void pclntab_wins_over_eh_frame(void **state)
{
	const struct pclntab_builder_function functions[] = {
		{"main.one", 0x1000, 0, BYTES(2, 0x40, 0)}, {NULL, 0x1040, 0, BYTES(0)}};
	uint32_t cie;

	make_table(PCLNTAB_BUILDER_1_20, functions);
	cfi_builder_open(&builder);
	(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
	cie = cfi_builder_plain_cie(&builder);
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1010, 0x60, BYTES(0x0e, 16));
	compiled_table_open(&builder);
	compiled_table_expect(0x1010, CALL);
	compiled_table_expect(0x1040, "none");
}

static void unterminated_pcsp_is_refused(void **state)
{
	const struct pclntab_builder_function functions[] = {
		{"main.one", 0x1000, 0, BYTES(2, 4, 16, 4)}, {NULL, 0x1040, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	put_word(PCLNTAB_BUILDER_FUNCTAB + 0x200 + 16, sizeof(bytes) - PCLNTAB_BUILDER_PCTAB - 1,
		 4); /* at the table's last byte */
	bytes[sizeof(bytes) - 1] = 2;
	open_table();
	compiled_table_expect(0x1000, BY_FRAME_POINTER);
	assert_int_equal(compiled_table_header()->refused, 1);
}

static void function_outside_the_table_is_refused(void **state)
{
	const struct pclntab_builder_function functions[] = {
		{"main.one", 0x1000, 0, FRAME},
		{"main.two", 0x1040, 0, BYTES(2, 0x40, 0)},
		{NULL, 0x1080, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	put_word(PCLNTAB_BUILDER_FUNCTAB + 4, 0xffffff00, 4);
	open_table();
	compiled_table_expect(0x1000, "no row");
	compiled_table_expect(0x1040, CALL);
	assert_int_equal(compiled_table_header()->refused, 1);
}

static void impossible_counts_give_no_functions(void **state)
{
	const struct pclntab_builder_function functions[] = {{"main.one", 0x1000, 0, FRAME},
							     {NULL, 0x1040, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	put_word(8, UINT64_MAX, 8);
	open_table();
	assert_int_equal(compiled_table_header()->frames, 0);
	teardown(state);
	put_word(8, 4u << 20, 8); /* the limit, far beyond the table's end */
	open_table();
	assert_true(compiled_table_header()->frames < sizeof(bytes));
	compiled_table_expect(0x1000, CALL);
}

/* The name found for an offset; NULL: none. */
static const char *name_at(uint64_t offset)
{
	static char name[64];
	const struct parser_symbol *symbol;
	uint64_t vaddr = offset + CFI_BUILDER_DELTA;
	struct symbols_view view;
	struct result_blob result;

	assert_int_equal(cfi_builder_symbols(&builder, &result), PARSER_OK);
	assert_null(symbols_view_open(&view, result.data, result.bytes));
	symbol = symbols_view_find(&view, vaddr);
	if (symbol)
		(void)snprintf(name, sizeof(name), "%s+%u", view.names + symbol->name,
			       (unsigned)(vaddr - symbol->start));
	result_blob_free(&result);
	return symbol ? name : NULL;
}

static void functions_have_names_without_any_symbol(void **state)
{
	for (enum pclntab_builder_version version = PCLNTAB_BUILDER_1_2;
	     version <= PCLNTAB_BUILDER_1_20; version++) {
		const struct pclntab_builder_function functions[] = {
			{"main.one", 0x1000, 0, FRAME},
			{"main.two[...]", 0x1040, 0, BYTES(2, 0x40, 0)},
			{NULL, 0x1080, 0, BYTES(0)}};

		make_table(version, functions);
		cfi_builder_open(&builder);
		(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
		assert_string_equal(name_at(0x1000), "main.one+0");
		assert_string_equal(name_at(0x103f), "main.one+63");
		assert_string_equal(name_at(0x1041), "main.two[...]+1");
		assert_null(name_at(0x1080));
		assert_null(name_at(0x8000));
	}
}

static void unterminated_name_is_ignored(void **state)
{
	const struct pclntab_builder_function functions[] = {{"main.one", 0x1000, 0, FRAME},
							     {NULL, 0x1040, 0, BYTES(0)}};

	make_table(PCLNTAB_BUILDER_1_20, functions);
	memset(bytes + PCLNTAB_BUILDER_FUNCTAB + 0x300, 'x',
	       sizeof(bytes) - PCLNTAB_BUILDER_FUNCTAB - 0x300);
	put_word(PCLNTAB_BUILDER_FUNCTAB + 0x200 + 4, sizeof(bytes) - PCLNTAB_BUILDER_NAMES - 1, 4);
	cfi_builder_open(&builder);
	(void)cfi_builder_put(&builder, CFI_BUILDER_PCLNTAB, bytes, sizeof(bytes));
	assert_null(name_at(0x1000));
	open_table();
	assert_int_equal(compiled_table_header()->refused, 1);
}

#define claim(test) cmocka_unit_test_teardown(test, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(every_version_is_read),
		claim(flags_mark_outermost_functions_and_stack_switches),
		claim(without_flags_names_mark_these_functions),
		claim(signal_handler_is_unwound_to_the_interrupted_code),
		claim(relocated_text_start_is_found),
		claim(unknown_text_start_is_that_of_the_section),
		claim(pclntab_wins_over_eh_frame),
		claim(unterminated_pcsp_is_refused),
		claim(function_outside_the_table_is_refused),
		claim(impossible_counts_give_no_functions),
		claim(functions_have_names_without_any_symbol),
		claim(unterminated_name_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
