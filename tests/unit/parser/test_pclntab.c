/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pclntab - pclntab in each of its forms, whole and broken
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parser/gomake.h"
#include "tests/unit/parser/table.h"

#define CALL      "sp+8 ra=*(cfa-8) fp=same"
#define BY_RECORD "fp+16 ra=*(cfa-8) fp=*(cfa-16)"
#define SIGNAL    "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal"

static struct cfimake make;
static uint8_t bytes[GOMAKE_BYTES];

static void word(uint32_t at, uint64_t value, uint32_t count)
{
	memcpy(bytes + at, &value, count);
}

static void make_table(enum gomake_form form, const struct gomake_function *functions)
{
	gomake(bytes, form, functions);
}

static void open_table(void)
{
	cfimake_open(&make);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	table_open(&make);
}

static int teardown(void **state)
{
	table_close();
	return 0;
}

/* +1 -> 0 for 4 bytes; +8 for 0x30; -8 until 0x38 */
#define FRAME BYTES(2, 4, 16, 0x30, 15, 4, 0)

static void every_form_is_read(void **state)
{
	for (enum gomake_form form = GOMAKE_1_2; form <= GOMAKE_1_20; form++) {
		const struct gomake_function functions[] = {
			{"main.one", 0x1000, 0, FRAME},
			{"main.two", 0x1040, 0, BYTES(2, 0x40, 0)},
			{NULL, 0x1080, 0, BYTES(0)}};

		make_table(form, functions);
		open_table();
		table_expect(0xfff, "no row");
		table_expect(0x1000, CALL);
		table_expect(0x1004, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
		table_expect(0x1033, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
		table_expect(0x1034, CALL);
		table_expect(0x107f, CALL);
		table_expect(0x1080, "none");
		assert_int_equal(table_header()->frames, 2);
		assert_int_equal(table_header()->refused, 0);
		teardown(state);
	}
}

static void flags_say_who_ends_and_who_switches_stacks(void **state)
{
	for (enum gomake_form form = GOMAKE_1_16; form <= GOMAKE_1_20; form++) {
		const struct gomake_function functions[] = {
			{"runtime.goexit", 0x1000, GOMAKE_TOP_FRAME, FRAME},
			{"runtime.systemstack", 0x1040, GOMAKE_SP_WRITE, FRAME},
			{"main.asm", 0x1080, GOMAKE_ASSEMBLY, FRAME},
			{"runtime.mcall", 0x10c0, GOMAKE_SP_WRITE, FRAME},
			{NULL, 0x1100, 0, BYTES(0)}};

		make_table(form, functions);
		open_table();
		table_expect(0x1000, "end");
		table_expect(0x1040, BY_RECORD);
		table_expect(0x1084, "sp+16 ra=*(cfa-8) fp=same");
		table_expect(0x10c0, "end of what called");
		teardown(state);
	}
}

static void without_flags_names_say_it(void **state)
{
	const struct gomake_function functions[] = {{"runtime.goexit", 0x1000, 0, FRAME},
						    {"runtime.systemstack", 0x1040, 0, FRAME},
						    {NULL, 0x1080, 0, BYTES(0)}};

	make_table(GOMAKE_1_2, functions);
	open_table();
	table_expect(0x1000, "end");
	table_expect(0x1040, BY_RECORD);
}

static void signal_handler_goes_on_to_what_it_interrupted(void **state)
{
	const struct gomake_function functions[] = {
		{"_rt0_amd64_linux", 0x1000, 0, FRAME},
		{"runtime.sigtramp", 0x1040, GOMAKE_TOP_FRAME, BYTES(2, 0x40, 0)},
		{"runtime.sigreturn__sigaction", 0x1080, 0, BYTES(2, 0x10, 0)},
		{NULL, 0x10c0, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	open_table();
	table_expect(0x1000, "end");
	table_expect(0x1040, CALL);
	table_expect(0x107e, CALL);
	table_expect(0x107f, SIGNAL); /* the kernel returns to its first byte */
	table_expect(0x1080, SIGNAL);
}

/* A part of the file under another name, with the pclntab as it stands. */
static void open_with(enum cfimake_part part, const char *name, const void *data, uint32_t count)
{
	char *names = (char *)make.file;

	cfimake_open(&make);
	names += make.sections[1].sh_offset + make.sections[2 + part].sh_name;
	memcpy(names, name, strlen(name) + 1);
	(void)cfimake_put(&make, part, data, count);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	table_open(&make);
}

static void start_that_is_to_be_relocated_is_looked_for(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, FRAME},
						    {NULL, 0x1040, 0, BYTES(0)}};
	Elf64_Rela relocations[2] = {
		{.r_offset = 0x50d018, .r_info = ELF64_R_INFO(1, 6), .r_addend = 0x401010},
		{.r_offset = 0x50d018, .r_info = 8, .r_addend = CFIMAKE_VADDR}};
	uint64_t module[32] = {[22] = CFIMAKE_VADDR};

	make_table(GOMAKE_1_20, functions);
	word(24, 0, 8);
	open_table(); /* there is no other word of it */
	assert_int_equal(table_header()->rows, 0);
	open_with(CFIMAKE_EH_FRAME, ".rela.dyn", relocations, sizeof(relocations));
	table_expect(0x1000, CALL);
	open_with(CFIMAKE_DEBUG_FRAME, ".go.module", module, sizeof(module));
	table_expect(0x1000, CALL);
}

static void without_any_word_the_code_begins_with_its_section(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, FRAME},
						    {NULL, 0x1040, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	word(24, 0, 8);
	cfimake_open(&make);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	memcpy(make.file + make.sections[1].sh_offset + make.sections[2].sh_name, ".text", 6);
	make.sections[2].sh_addr = CFIMAKE_VADDR;
	table_open(&make);
	table_expect(0x1000, CALL);
}

static void pclntab_is_believed_before_eh_frame(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, BYTES(2, 0x40, 0)},
						    {NULL, 0x1040, 0, BYTES(0)}};
	uint32_t cie;

	make_table(GOMAKE_1_20, functions);
	cfimake_open(&make);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	cie = cfimake_plain_cie(&make);
	(void)cfimake_fde(&make, CFIMAKE_EH_FRAME, cie, 0x1010, 0x60, BYTES(0x0e, 16));
	table_open(&make);
	table_expect(0x1010, CALL);
	table_expect(0x1040, "none");
}

static void list_that_does_not_end_is_refused(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, BYTES(2, 4, 16, 4)},
						    {NULL, 0x1040, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	word(GOMAKE_LIST + 0x200 + 16, sizeof(bytes) - GOMAKE_STEPS - 1,
	     4); /* at the table's last byte */
	bytes[sizeof(bytes) - 1] = 2;
	open_table();
	table_expect(0x1000, BY_RECORD);
	assert_int_equal(table_header()->refused, 1);
}

static void function_outside_the_table_is_refused(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, FRAME},
						    {"main.two", 0x1040, 0, BYTES(2, 0x40, 0)},
						    {NULL, 0x1080, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	word(GOMAKE_LIST + 4, 0xffffff00, 4);
	open_table();
	table_expect(0x1000, "no row");
	table_expect(0x1040, CALL);
	assert_int_equal(table_header()->refused, 1);
}

static void counts_that_lie_make_no_functions(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, FRAME},
						    {NULL, 0x1040, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	word(8, UINT64_MAX, 8);
	open_table();
	assert_int_equal(table_header()->frames, 0);
	teardown(state);
	word(8, 4u << 20, 8); /* as many as there may be, far beyond the table's end */
	open_table();
	assert_true(table_header()->frames < sizeof(bytes));
	table_expect(0x1000, CALL);
}

/* The name that the answer has for an offset; NULL: none. */
static const char *name_at(uint64_t offset)
{
	static char name[64];
	const struct parser_result *header;
	const struct parser_symbol *symbol;
	struct symbolize answer;

	assert_int_equal(cfimake_answer(&make, &offset, 1, &answer), PARSER_OK);
	header = answer.blob;
	symbol = (const void *)(header + 1);
	name[0] = '\0';
	if (symbol->name != PARSER_NO_NAME)
		(void)snprintf(name, sizeof(name), "%s+%u",
			       (const char *)(symbol + 1) + symbol->name,
			       (unsigned)(symbol->vaddr - symbol->start));
	symbolize_free(&answer);
	return name[0] ? name : NULL;
}

static void functions_have_names_without_any_symbol(void **state)
{
	for (enum gomake_form form = GOMAKE_1_2; form <= GOMAKE_1_20; form++) {
		const struct gomake_function functions[] = {
			{"main.one", 0x1000, 0, FRAME},
			{"main.two[...]", 0x1040, 0, BYTES(2, 0x40, 0)},
			{NULL, 0x1080, 0, BYTES(0)}};

		make_table(form, functions);
		cfimake_open(&make);
		(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
		assert_string_equal(name_at(0x1000), "main.one+0");
		assert_string_equal(name_at(0x103f), "main.one+63");
		assert_string_equal(name_at(0x1041), "main.two[...]+1");
		assert_null(name_at(0x1080));
		assert_null(name_at(0x8000));
	}
}

static void name_that_does_not_end_is_none(void **state)
{
	const struct gomake_function functions[] = {{"main.one", 0x1000, 0, FRAME},
						    {NULL, 0x1040, 0, BYTES(0)}};

	make_table(GOMAKE_1_20, functions);
	memset(bytes + GOMAKE_LIST + 0x300, 'x', sizeof(bytes) - GOMAKE_LIST - 0x300);
	word(GOMAKE_LIST + 0x200 + 4, sizeof(bytes) - GOMAKE_NAMES - 1, 4);
	cfimake_open(&make);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	assert_null(name_at(0x1000));
	open_table();
	assert_int_equal(table_header()->refused, 1);
}

#define claim(test) cmocka_unit_test_teardown(test, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(every_form_is_read),
		claim(flags_say_who_ends_and_who_switches_stacks),
		claim(without_flags_names_say_it),
		claim(signal_handler_goes_on_to_what_it_interrupted),
		claim(start_that_is_to_be_relocated_is_looked_for),
		claim(without_any_word_the_code_begins_with_its_section),
		claim(pclntab_is_believed_before_eh_frame),
		claim(list_that_does_not_end_is_refused),
		claim(function_outside_the_table_is_refused),
		claim(counts_that_lie_make_no_functions),
		claim(functions_have_names_without_any_symbol),
		claim(name_that_does_not_end_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
