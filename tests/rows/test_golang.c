/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_golang - pclntab in each of its forms, whole and broken
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rows/table.h"

#define CALL      "sp+8 ra=*(cfa-8) fp=same"
#define BY_RECORD "fp+16 ra=*(cfa-8) fp=*(cfa-16)"
#define SIGNAL    "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal"
#define NAMES     0x200u /* in the table, where the form lets us choose */
#define STEPS     0x400u
#define LIST      0x600u
#define TOP_FRAME 1
#define SP_WRITE  2
#define ASSEMBLY  4

struct made {
	const char *name;
	uint32_t offset; /* of the file; the last one's is where the code ends */
	uint8_t flags;
	struct cfimake_bytes steps;
};

enum form {
	FORM_2,
	FORM_16,
	FORM_18,
	FORM_20
};

static struct cfimake make;
static uint8_t bytes[CFIMAKE_PART];

static void word(uint32_t at, uint64_t value, uint32_t count)
{
	memcpy(bytes + at, &value, count);
}

/* The parts that the header leads to. */
static void make_header(enum form form, uint64_t count)
{
	static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	uint32_t first = form == FORM_16 ? 8 + 2 * 8 : 8 + 3 * 8;

	memset(bytes, 0, sizeof(bytes));
	word(0, magics[form], 4);
	bytes[6] = 1;
	bytes[7] = 8;
	word(8, count, 8);
	if (form == FORM_2)
		return;
	if (form >= FORM_18)
		word(24, CFIMAKE_VADDR, 8);
	word(first, NAMES, 8);
	word(first + 24, STEPS, 8);
	word(first + 32, LIST, 8);
}

/* One function's entry at @at of the table. */
static void make_entry(enum form form, uint32_t at, const struct made *made, uint32_t name,
		       uint32_t steps)
{
	uint32_t fields = form >= FORM_18 ? 0 : 4;

	word(at + fields + 4, name, 4);
	word(at + fields + 16, steps, 4);
	if (form != FORM_2)
		bytes[at + fields + (form == FORM_20 ? 41 : 37)] = made->flags;
}

/* @functions: closed by one without a name. */
static void make_table(enum form form, const struct made *functions)
{
	uint32_t width = form >= FORM_18 ? 4 : 8, count = 0, names = 1, steps = 1;
	uint32_t list = form == FORM_2 ? 16 : LIST, relative = form == FORM_2 ? 0 : LIST;
	uint64_t base = form >= FORM_18 ? CFIMAKE_TEXT : -(uint64_t)CFIMAKE_DELTA;

	while (functions[count].name)
		count++;
	make_header(form, count);
	for (uint32_t i = 0; i <= count; i++) {
		uint32_t entry = LIST + 0x200 + 64 * i;
		const struct made *made = &functions[i];

		word(list + 2 * i * width, made->offset - base, width);
		if (i == count)
			break;
		word(list + (2 * i + 1) * width, entry - relative, width);
		make_entry(form, entry, made, names + (form == FORM_2 ? NAMES : 0),
			   steps + (form == FORM_2 ? STEPS : 0));
		memcpy(bytes + NAMES + names, made->name, strlen(made->name) + 1);
		names += (uint32_t)strlen(made->name) + 1;
		memcpy(bytes + STEPS + steps, made->steps.bytes, made->steps.count);
		steps += made->steps.count;
	}
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
	for (enum form form = FORM_2; form <= FORM_20; form++) {
		const struct made functions[] = {{"main.one", 0x1000, 0, FRAME},
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
	for (enum form form = FORM_16; form <= FORM_20; form++) {
		const struct made functions[] = {{"runtime.goexit", 0x1000, TOP_FRAME, FRAME},
						 {"runtime.mcall", 0x1040, SP_WRITE, FRAME},
						 {"main.asm", 0x1080, ASSEMBLY, FRAME},
						 {NULL, 0x10c0, 0, BYTES(0)}};

		make_table(form, functions);
		open_table();
		table_expect(0x1000, "end");
		table_expect(0x1040, BY_RECORD);
		table_expect(0x1084, "sp+16 ra=*(cfa-8) fp=same");
		teardown(state);
	}
}

static void without_flags_names_say_it(void **state)
{
	const struct made functions[] = {{"runtime.goexit", 0x1000, 0, FRAME},
					 {"runtime.systemstack", 0x1040, 0, FRAME},
					 {NULL, 0x1080, 0, BYTES(0)}};

	make_table(FORM_2, functions);
	open_table();
	table_expect(0x1000, "end");
	table_expect(0x1040, BY_RECORD);
}

static void signal_handler_goes_on_to_what_it_interrupted(void **state)
{
	const struct made functions[] = {
		{"_rt0_amd64_linux", 0x1000, 0, FRAME},
		{"runtime.sigtramp", 0x1040, TOP_FRAME, BYTES(2, 0x40, 0)},
		{"runtime.sigreturn__sigaction", 0x1080, 0, BYTES(2, 0x10, 0)},
		{NULL, 0x10c0, 0, BYTES(0)}};

	make_table(FORM_20, functions);
	open_table();
	table_expect(0x1000, "end");
	table_expect(0x1040, CALL);
	table_expect(0x107e, CALL);
	table_expect(0x107f, SIGNAL); /* the kernel returns to its first byte */
	table_expect(0x1080, SIGNAL);
}

static void relocated_start_is_looked_for(void **state)
{
	const struct made functions[] = {{"main.one", 0x1000, 0, FRAME},
					 {NULL, 0x1040, 0, BYTES(0)}};

	make_table(FORM_20, functions);
	word(24, 0, 8); /* to be relocated; and no such relocation, no module data, no .text */
	open_table();
	assert_int_equal(table_header()->rows, 0);
	teardown(state);
	cfimake_open(&make);
	(void)cfimake_put(&make, CFIMAKE_PCLNTAB, bytes, sizeof(bytes));
	memcpy(make.file + make.sections[1].sh_offset + make.sections[2].sh_name, ".text", 6);
	make.sections[2].sh_addr = CFIMAKE_VADDR;
	table_open(&make);
	table_expect(0x1000, CALL);
}

static void pclntab_is_believed_before_eh_frame(void **state)
{
	const struct made functions[] = {{"main.one", 0x1000, 0, BYTES(2, 0x40, 0)},
					 {NULL, 0x1040, 0, BYTES(0)}};
	uint32_t cie;

	make_table(FORM_20, functions);
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
	const struct made functions[] = {{"main.one", 0x1000, 0, BYTES(2, 4, 16, 4)},
					 {NULL, 0x1040, 0, BYTES(0)}};

	make_table(FORM_20, functions);
	word(LIST + 0x200 + 16, sizeof(bytes) - STEPS - 1, 4); /* at the table's last byte */
	bytes[sizeof(bytes) - 1] = 2;
	open_table();
	table_expect(0x1000, BY_RECORD);
	assert_int_equal(table_header()->refused, 1);
}

static void function_outside_the_table_is_refused(void **state)
{
	const struct made functions[] = {{"main.one", 0x1000, 0, FRAME},
					 {"main.two", 0x1040, 0, BYTES(2, 0x40, 0)},
					 {NULL, 0x1080, 0, BYTES(0)}};

	make_table(FORM_20, functions);
	word(LIST + 4, 0xffffff00, 4);
	open_table();
	table_expect(0x1000, "no row");
	table_expect(0x1040, CALL);
	assert_int_equal(table_header()->refused, 1);
}

static void counts_that_lie_make_no_functions(void **state)
{
	const struct made functions[] = {{"main.one", 0x1000, 0, FRAME},
					 {NULL, 0x1040, 0, BYTES(0)}};

	make_table(FORM_20, functions);
	word(8, UINT64_MAX, 8);
	open_table();
	assert_int_equal(table_header()->frames, 0);
	teardown(state);
	word(8, 4u << 20, 8); /* as many as there may be, far beyond the table's end */
	open_table();
	assert_true(table_header()->frames < sizeof(bytes));
	table_expect(0x1000, CALL);
}

#define claim(test) cmocka_unit_test_teardown(test, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(every_form_is_read),
		claim(flags_say_who_ends_and_who_switches_stacks),
		claim(without_flags_names_say_it),
		claim(signal_handler_goes_on_to_what_it_interrupted),
		claim(relocated_start_is_looked_for),
		claim(pclntab_is_believed_before_eh_frame),
		claim(list_that_does_not_end_is_refused),
		claim(function_outside_the_table_is_refused),
		claim(counts_that_lie_make_no_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
