/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_program - executes each call frame instruction; an invalid one ends the rules of its
 * function
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/cfi/program.h"
#include "tests/unit/parser/compiled_table.h"

#define CALL "sp+8 ra=*(cfa-8) fp=same"

static struct cfi_builder builder;

static int setup(void **state)
{
	cfi_builder_open(&builder);
	return 0;
}

static int teardown(void **state)
{
	compiled_table_close();
	return 0;
}

/* One function of 0x40 bytes at 0x1000 under the plain CIE. */
static void compile(struct cfi_builder_bytes code)
{
	uint32_t cie;

	cfi_builder_open(&builder);
	cie = cfi_builder_plain_cie(&builder);
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1000, 0x40, code);
	compiled_table_open(&builder);
}

/* Expects @text from the fourth byte on, where @code runs. */
static void gives(struct cfi_builder_bytes code, const char *text)
{
	uint8_t bytes[256] = {0x44};

	memcpy(bytes + 1, code.bytes, code.count);
	compile((struct cfi_builder_bytes){bytes, code.count + 1});
	compiled_table_expect(0x1003, CALL);
	compiled_table_expect(0x1004, text);
	compiled_table_expect(0x103f, text);
	compiled_table_expect(0x1040, "none");
}

static void function_with_a_frame_pointer(void **state)
{
	/* push %rbp; mov %rsp,%rbp; ... leave */
	compile(BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x70, 0x0c, 7, 8));
	compiled_table_expect(0xfff, "no row");
	compiled_table_expect(0x1000, CALL);
	compiled_table_expect(0x1001, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1003, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1004, "fp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1033, "fp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1034, "sp+8 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1040, "none");
	assert_int_equal(compiled_table_header()->frames, 1);
	assert_int_equal(compiled_table_header()->refused, 0);
}

static void each_cfa_instruction(void **state)
{
	gives(BYTES(0x0c, 3, 16), "r3+16 ra=*(cfa-8) fp=same");
	gives(BYTES(0x12, 7, 0x7e), "sp+16 ra=*(cfa-8) fp=same"); /* def_cfa_sf -2 * -8 */
	gives(BYTES(0x0d, 6), "fp+8 ra=*(cfa-8) fp=same");
	gives(BYTES(0x0e, 0x90, 1), "sp+144 ra=*(cfa-8) fp=same");
	gives(BYTES(0x13, 0x7d), "sp+24 ra=*(cfa-8) fp=same");
	gives(BYTES(0x0f, 2, 0x76, 0x70), "fp-16 ra=*(cfa-8) fp=same");
	/* After an expression, the register rule from before it is changed. */
	gives(BYTES(0x0f, 2, 0x76, 0x70, 0x0d, 6), "fp+8 ra=*(cfa-8) fp=same");
}

static void each_register_instruction(void **state)
{
	gives(BYTES(0x86, 3), "sp+8 ra=*(cfa-8) fp=*(cfa-24)");
	gives(BYTES(0x05, 6, 4), "sp+8 ra=*(cfa-8) fp=*(cfa-32)");
	gives(BYTES(0x11, 6, 0x7f), "sp+8 ra=*(cfa-8) fp=*(cfa+8)");
	gives(BYTES(0x2f, 6, 1), "sp+8 ra=*(cfa-8) fp=*(cfa+8)");
	gives(BYTES(0x07, 6), "sp+8 ra=*(cfa-8) fp=lost");
	gives(BYTES(0x86, 3, 0x08, 6), CALL);
	gives(BYTES(0x09, 6, 11), "sp+8 ra=*(cfa-8) fp=r11");
	gives(BYTES(0x09, 16, 2), "sp+8 ra=r2 fp=same");
	gives(BYTES(0x10, 6, 2, 0x76, 0x08), "sp+8 ra=*(cfa-8) fp=*(fp+8)");
	gives(BYTES(0x10, 6, 2, 0x23, 0x08), "sp+8 ra=*(cfa-8) fp=*(cfa+8)");
	gives(BYTES(0x16, 6, 2, 0x76, 0x08), "sp+8 ra=*(cfa-8) fp=lost");
	gives(BYTES(0x14, 6, 1), "sp+8 ra=*(cfa-8) fp=lost");
	gives(BYTES(0x15, 6, 0x7f), "sp+8 ra=*(cfa-8) fp=lost");
	gives(BYTES(0x86, 2, 0xc6), CALL);
	gives(BYTES(0x86, 2, 0x06, 6), CALL);
	gives(BYTES(0x0e, 16, 0x90, 2), "sp+16 ra=*(cfa-16) fp=same");
	gives(BYTES(0x90, 3, 0xd0), CALL);
}

static void other_registers_change_nothing(void **state)
{
	gives(BYTES(0x83, 2, 0x8c, 3, 0x07, 0, 0x08, 1, 0x09, 3, 4, 0x10, 12, 1, 0x96, 0xc3, 0x06,
		    12),
	      CALL);
	assert_int_equal(compiled_table_header()->rows, 2);
}

static void undefined_return_address_is_outermost(void **state)
{
	gives(BYTES(0x07, 16), "end");
}

static void return_address_below_the_stack_is_outermost(void **state)
{
	gives(BYTES(0x0e, 0), "end"); /* as in musl's clone */
}

static void stack_pointer_elsewhere_is_marked(void **state)
{
	gives(BYTES(0x09, 7, 8), "sp+8 ra=*(cfa-8) fp=same sp lost");
	gives(BYTES(0x14, 7, 0), CALL);
}

static void each_advance_instruction(void **state)
{
	compile(BYTES(0x02, 2, 0x0e, 16, 0x03, 2, 0, 0x0e, 24, 0x04, 2, 0, 0, 0, 0x0e, 32, 0x1d, 2,
		      0, 0, 0, 0, 0, 0, 0, 0x0e, 40));
	compiled_table_expect(0x1001, CALL);
	compiled_table_expect(0x1002, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1004, "sp+24 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1006, "sp+32 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1008, "sp+40 ra=*(cfa-8) fp=same");
}

static void location_is_set_by_its_address(void **state)
{
	/* The operand is PC-relative: it follows the 17 bytes of the FDE and one more byte. */
	uint32_t cie = cfi_builder_plain_cie(&builder);
	uint32_t operand =
		0x9000 + builder.filled[CFI_BUILDER_EH_FRAME] + 17 + 1 + CFI_BUILDER_AWAY;
	uint32_t distance = 0x1008 + CFI_BUILDER_DELTA - operand;
	uint8_t code[7] = {0x01, 0, 0, 0, 0, 0x0e, 16};

	memcpy(code + 1, &distance, 4);
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1000, 0x40,
			      (struct cfi_builder_bytes){code, sizeof(code)});
	compiled_table_open(&builder);
	compiled_table_expect(0x1007, CALL);
	compiled_table_expect(0x1008, "sp+16 ra=*(cfa-8) fp=same");
}

static void row_is_remembered_and_restored(void **state)
{
	compile(BYTES(0x0e, 16, 0x86, 2, 0x0a, 0x44, 0x0e, 8, 0xc6, 0x44, 0x0b));
	compiled_table_expect(0x1000, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1004, CALL);
	compiled_table_expect(0x1008, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x103f, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
}

static void rows_are_remembered_up_to_a_depth(void **state)
{
	uint8_t code[3 + ROW_STACK_MAX + 1];

	memset(code, 0x0a, sizeof(code));
	memcpy(code, (const uint8_t[]){0x0e, 16, 0x44}, 3);
	compile((struct cfi_builder_bytes){code, sizeof(code) - 1});
	compiled_table_expect(0x1004, "sp+16 ra=*(cfa-8) fp=same");
	assert_int_equal(compiled_table_header()->refused, 0);
	compile((struct cfi_builder_bytes){code, sizeof(code)});
	compiled_table_expect(0x1000, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1004, "none");
	assert_int_equal(compiled_table_header()->refused, 1);
}

static void instructions_of_other_machines_are_ignored(void **state)
{
	gives(BYTES(0x00, 0x2d, 0x2e, 0x90, 0x01), CALL);
}

/*
 * Expects no rule from the invalid instruction to the end of its function, and all others
 * unchanged.
 */
static void is_invalid(struct cfi_builder_bytes code)
{
	uint8_t bytes[256] = {0x44};
	uint32_t cie;

	cfi_builder_open(&builder);
	memcpy(bytes + 1, code.bytes, code.count);
	cie = cfi_builder_plain_cie(&builder);
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1000, 0x40,
			      (struct cfi_builder_bytes){bytes, code.count + 1});
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1040, 0x40, BYTES(0x0e, 16));
	compiled_table_open(&builder);
	compiled_table_expect(0x1003, CALL);
	compiled_table_expect(0x1004, "none");
	compiled_table_expect(0x103f, "none");
	compiled_table_expect(0x1040, "sp+16 ra=*(cfa-8) fp=same");
	assert_int_equal(compiled_table_header()->frames, 2);
	assert_int_equal(compiled_table_header()->refused, 1);
}

static void invalid_instruction_ends_the_rules_of_its_function(void **state)
{
	is_invalid(BYTES(0x3f));                                  /* no such instruction */
	is_invalid(BYTES(0x0b));                                  /* nothing was remembered */
	is_invalid(BYTES(0x0e));                                  /* its operand is missing */
	is_invalid(BYTES(0x0e, 0xff, 0xff, 0xff));                /* it does not end */
	is_invalid(BYTES(0x0f, 0x40, 0x77, 8));                   /* longer than the rest */
	is_invalid(BYTES(0x03, 1));                               /* half an operand */
	is_invalid(BYTES(0x0c, 0x80, 0x80, 0x80, 0x80, 0x10, 8)); /* no such register */
	is_invalid(BYTES(0x0c, 17, 8));                           /* no rule may name it */
	is_invalid(BYTES(0x0c, 7, 0xff, 0xff, 0xff, 0xff, 0xff,
			 1));             /* an offset that no rule can express */
	is_invalid(BYTES(0x0f, 1, 0x97)); /* DW_OP_push_object_address */
	is_invalid(BYTES(0x08, 16));      /* a return address that nothing has saved */
	is_invalid(BYTES(0x11, 16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0));
}

static void rows_beyond_the_function_are_dropped(void **state)
{
	compile(BYTES(0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 16, 0x04, 0xff, 0xff, 0xff, 0xff));
	compiled_table_expect(0x103f, CALL);
	compiled_table_expect(0x1040, "none");
	assert_int_equal(compiled_table_header()->rows, 2);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(function_with_a_frame_pointer),
		claim(each_cfa_instruction),
		claim(each_register_instruction),
		claim(other_registers_change_nothing),
		claim(undefined_return_address_is_outermost),
		claim(return_address_below_the_stack_is_outermost),
		claim(stack_pointer_elsewhere_is_marked),
		claim(each_advance_instruction),
		claim(location_is_set_by_its_address),
		claim(row_is_remembered_and_restored),
		claim(rows_are_remembered_up_to_a_depth),
		claim(instructions_of_other_machines_are_ignored),
		claim(invalid_instruction_ends_the_rules_of_its_function),
		claim(rows_beyond_the_function_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
