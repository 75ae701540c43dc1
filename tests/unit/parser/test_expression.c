/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expression - DWARF expressions, and which of them an unwind rule can express
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/parser/cfi/rule.h"
#include "tests/unit/parser/cfi_builder.h"
#include "tests/unit/parser/rule_text.h"

#define REST " ra=*(cfa-8) fp=same"

static void cfa_is(struct cfi_builder_bytes code, const char *text)
{
	struct row row = {.cfa = {.kind = REGISTER_RULE_VAL_EXPRESSION,
				  .bytes = code.count,
				  .expression = code.bytes}};
	struct tm_rule rule = rule_from_row(&row, false);
	char buffer[RULE_TEXT_BYTES];

	assert_string_equal(rule_text(&rule, buffer), text);
}

static void register_and_offset(void **state)
{
	cfa_is(BYTES(0x77, 8), "sp+8" REST);
	cfa_is(BYTES(0x76, 0x70), "fp-16" REST);
	cfa_is(BYTES(0x7a, 0), "r10+0" REST);
	cfa_is(BYTES(0x92, 10, 0), "r10+0" REST); /* bregx */
}

static void register_dereferenced(void **state)
{
	cfa_is(BYTES(0x77, 0xa0, 1, 0x06), "*(sp+160)+0" REST);
	cfa_is(BYTES(0x76, 0x78, 0x06), "*(fp-8)+0" REST);
	cfa_is(BYTES(0x77, 0x28, 0x06, 0x23, 8), "*(sp+40)+8" REST);
	cfa_is(BYTES(0x73, 0, 0x06, 0x23, 8), "*(r3+0)+8" REST);
}

static void all_ways_to_add_are_equal(void **state)
{
	cfa_is(BYTES(0x77, 0, 0x23, 16), "sp+16" REST);          /* plus_uconst */
	cfa_is(BYTES(0x77, 0, 0x40, 0x22), "sp+16" REST);        /* lit16 plus */
	cfa_is(BYTES(0x40, 0x77, 0, 0x22), "sp+16" REST);        /* lit16 first */
	cfa_is(BYTES(0x77, 0, 0x08, 16, 0x22), "sp+16" REST);    /* const1u */
	cfa_is(BYTES(0x77, 0, 0x09, 0xf0, 0x1c), "sp+16" REST);  /* const1s -16 minus */
	cfa_is(BYTES(0x77, 0, 0x0a, 16, 0, 0x22), "sp+16" REST); /* const2u */
	cfa_is(BYTES(0x77, 0, 0x0d, 0xf0, 0xff, 0xff, 0xff, 0x1c), "sp+16" REST);  /* const4s */
	cfa_is(BYTES(0x77, 0, 0x0e, 16, 0, 0, 0, 0, 0, 0, 0, 0x22), "sp+16" REST); /* const8u */
	cfa_is(BYTES(0x77, 0, 0x10, 16, 0x22), "sp+16" REST);                      /* constu */
	cfa_is(BYTES(0x77, 0, 0x11, 0x70, 0x1c), "sp+16" REST);                    /* consts */
	cfa_is(BYTES(0x77, 0, 0x38, 0x32, 0x1e, 0x22), "sp+16" REST);              /* 8 * 2 */
	cfa_is(BYTES(0x77, 0, 0x31, 0x34, 0x24, 0x22, 0x96), "sp+16" REST);        /* 1 << 4 */
}

static void indexed_as_openssl_writes_it(void **state)
{
	cfa_is(BYTES(0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8), "*(sp+8*r9+8)+8" REST);
	cfa_is(BYTES(0x79, 0, 0x38, 0x1e, 0x77, 8, 0x22, 0x06, 0x23, 8), "*(sp+8*r9+8)+8" REST);
	cfa_is(BYTES(0x79, 0, 0x33, 0x24, 0x77, 8, 0x22, 0x06, 0x23, 8), "*(sp+8*r9+8)+8" REST);
	/* The unwinder knows no other array, register or offset. */
	cfa_is(BYTES(0x79, 0, 0x33, 0x24, 0x77, 8, 0x22, 0x06), "none");
	cfa_is(BYTES(0x77, 16, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8), "none");
	cfa_is(BYTES(0x77, 8, 0x74, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8), "none");
	cfa_is(BYTES(0x77, 8, 0x79, 0, 0x34, 0x1e, 0x22, 0x06), "none"); /* by four */
	cfa_is(BYTES(0x76, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06), "none"); /* from fp */
	cfa_is(BYTES(0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22), "none");       /* not read */
}

static void plt_as_linkers_write_it(void **state)
{
	cfa_is(BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
	       "plt sp+8 from 11" REST);
	cfa_is(BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22),
	       "plt sp+8 from 9" REST);
	cfa_is(BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x34, 0x24, 0x22), "none");
	cfa_is(BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x40, 0x2a, 0x33, 0x24, 0x22), "none");
}

static void expression_that_no_rule_can_express_is_refused(void **state)
{
	cfa_is(BYTES(0x96), "none");                      /* leaves nothing on the stack */
	cfa_is(BYTES(0x22), "none");                      /* adds nothing */
	cfa_is(BYTES(0x06), "none");                      /* reads nothing */
	cfa_is(BYTES(0x38), "none");                      /* a number is no address */
	cfa_is(BYTES(0x38, 0x06), "none");                /* nor is the memory at it */
	cfa_is(BYTES(0x77, 0, 0x06, 0x06), "none");       /* twice through memory */
	cfa_is(BYTES(0x77, 0, 0x76, 0, 0x22), "none");    /* two registers */
	cfa_is(BYTES(0x77, 0, 0x06, 0x38, 0x1c), "none"); /* minus, after memory */
	cfa_is(BYTES(0x2f, 0xfd, 0xff), "none");          /* a jump */
	cfa_is(BYTES(0x77), "none");                      /* truncated */
	cfa_is(BYTES(0x80, 0), "none");                   /* from the instruction pointer */
	cfa_is(BYTES(0x8f, 0), "none");                   /* a register that no rule names */
	cfa_is(BYTES(0x92, 0xff, 0xff, 0x7f, 0), "none");
	cfa_is(BYTES(0x03, 0, 0, 0, 0, 0, 0, 0, 0), "none"); /* an address */
	cfa_is(BYTES(0x77, 0, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30), "none"); /* deep */
	cfa_is(BYTES(0x77, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x23, 1),
	       "none"); /* overflow */
}

static void signal_frame_of_glibc(void **state)
{
	static const uint8_t cfa[] = {0x77, 0xa0, 1, 0x06}, ra[] = {0x77, 0xa8, 1};
	static const uint8_t fp[] = {0x77, 0xf8, 0}, sp[] = {0x77, 0xa0, 1};
	struct row frame = {
		.cfa = {.kind = REGISTER_RULE_VAL_EXPRESSION,
			.bytes = sizeof(cfa),
			.expression = cfa},
		.ra = {.kind = REGISTER_RULE_EXPRESSION, .bytes = sizeof(ra), .expression = ra},
		.fp = {.kind = REGISTER_RULE_EXPRESSION, .bytes = sizeof(fp), .expression = fp},
		.sp = {.kind = REGISTER_RULE_EXPRESSION, .bytes = sizeof(sp), .expression = sp}};
	struct tm_rule rule = rule_from_row(&frame, true);
	char buffer[RULE_TEXT_BYTES];

	assert_string_equal(rule_text(&rule, buffer),
			    "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(register_and_offset),
		cmocka_unit_test(register_dereferenced),
		cmocka_unit_test(all_ways_to_add_are_equal),
		cmocka_unit_test(indexed_as_openssl_writes_it),
		cmocka_unit_test(plt_as_linkers_write_it),
		cmocka_unit_test(expression_that_no_rule_can_express_is_refused),
		cmocka_unit_test(signal_frame_of_glibc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
