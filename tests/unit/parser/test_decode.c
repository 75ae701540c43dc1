/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_decode - x86-64 instructions: their length, and their effect on sp, fp and control flow
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/parser/x86/decode.h"
#include "tests/unit/parser/cfi_builder.h"

#define AT 0x401000u

static struct insn decode_one(struct cfi_builder_bytes code)
{
	struct insn insn;

	assert_int_equal(decode_insn(code.bytes, code.bytes + code.count, AT, &insn), 0);
	assert_int_equal(insn.bytes, code.count);
	return insn;
}

static void expect_unknown(struct cfi_builder_bytes code)
{
	struct insn insn;

	assert_int_equal(decode_insn(code.bytes, code.bytes + code.count, AT, &insn),
			 INSN_E_UNKNOWN);
}

static void pushes_and_pops_name_their_register(void **state)
{
	assert_int_equal(decode_one(BYTES(0x55)).to, INSN_FP);
	assert_int_equal(decode_one(BYTES(0x41, 0x55)).to, 13);
	assert_int_equal(decode_one(BYTES(0x5d)).kind, INSN_POP);
	assert_int_equal(decode_one(BYTES(0x68, 1, 2, 3, 4)).to, INSN_NONE);
	assert_int_equal(decode_one(BYTES(0x6a, 1)).kind, INSN_PUSH);
	assert_int_equal(decode_one(BYTES(0xff, 0x74, 0x24, 8)).kind, INSN_PUSH);
	assert_int_equal(decode_one(BYTES(0x8f, 0x45, 0xf8)).kind, INSN_POP);
	expect_unknown(BYTES(0x66, 0x55));
}

static void arithmetic_on_sp_is_an_address(void **state)
{
	struct insn insn = decode_one(BYTES(0x48, 0x83, 0xec, 0x18));

	assert_int_equal(insn.kind, INSN_LEA);
	assert_int_equal(insn.to, INSN_SP);
	assert_int_equal(insn.value, -0x18);
	insn = decode_one(BYTES(0x48, 0x81, 0xc4, 0, 1, 0, 0));
	assert_int_equal(insn.value, 0x100);
	insn = decode_one(BYTES(0x48, 0x8d, 0x65, 0xd8)); /* lea -0x28(%rbp),%rsp */
	assert_int_equal(insn.kind, INSN_LEA);
	assert_int_equal(insn.base, INSN_FP);
	assert_int_equal(insn.value, -0x28);
	insn = decode_one(BYTES(0x48, 0x89, 0xe5));
	assert_int_equal(insn.kind, INSN_LEA);
	assert_int_equal(insn.to, INSN_FP);
	insn = decode_one(BYTES(0x48, 0x83, 0xe4, 0xf0)); /* and */
	assert_int_equal(insn.kind, INSN_PLAIN);
	assert_true(insn.writes_sp);
	assert_true(decode_one(BYTES(0x83, 0xec, 8)).writes_sp);        /* of 32 bits */
	assert_false(decode_one(BYTES(0x48, 0x83, 0xfc, 8)).writes_sp); /* cmp */
}

static void writes_of_the_frame_pointer_are_seen(void **state)
{
	struct insn insn = decode_one(BYTES(0x48, 0x89, 0x6c, 0x24, 0xf0));

	assert_int_equal(insn.kind, INSN_STORE);
	assert_int_equal(insn.base, INSN_SP);
	assert_int_equal(insn.value, -16);
	assert_int_equal(decode_one(BYTES(0x48, 0x8b, 0x6c, 0x24, 8)).kind, INSN_LOAD);
	assert_int_equal(decode_one(BYTES(0x31, 0xed)).kind, INSN_CLEAR_FP);
	assert_true(decode_one(BYTES(0xbd, 1, 0, 0, 0)).writes_fp);
	assert_true(decode_one(BYTES(0x40, 0xb5, 1)).writes_fp);
	assert_false(decode_one(BYTES(0xb5, 1)).writes_fp); /* ch */
	assert_true(decode_one(BYTES(0x40, 0x0f, 0x95, 0xc5)).writes_fp);
	assert_false(decode_one(BYTES(0x0f, 0x95, 0xc5)).writes_fp);
	assert_true(decode_one(BYTES(0x0f, 0xb6, 0x28)).writes_fp);
	assert_true(decode_one(BYTES(0xf0, 0x48, 0x0f, 0xc1, 0x2f)).writes_fp);
	assert_true(decode_one(BYTES(0xc4, 0xe2, 0xf3, 0xf6, 0xae, 0x88, 0, 0, 0)).writes_fp);
	assert_false(decode_one(BYTES(0x48, 0x85, 0xed)).writes_fp); /* test */
}

static void jumps_and_calls_have_their_target(void **state)
{
	assert_int_equal(decode_one(BYTES(0xe8, 0xfb, 0, 0, 0)).target, AT + 0x100);
	assert_int_equal(decode_one(BYTES(0xeb, 0xfe)).target, AT);
	assert_int_equal(decode_one(BYTES(0x0f, 0x84, 0xfa, 0, 0, 0)).target, AT + 0x100);
	assert_int_equal(decode_one(BYTES(0x75, 0)).kind, INSN_BRANCH);
	assert_int_equal(decode_one(BYTES(0x3e, 0xff, 0xe0)).kind, INSN_JUMP_INDIRECT);
	assert_int_equal(decode_one(BYTES(0xf3, 0xc3)).kind, INSN_RET);
	assert_int_equal(decode_one(BYTES(0x0f, 0x0b)).kind, INSN_STOP);
	assert_int_equal(decode_one(BYTES(0x48, 0x8d, 0x05, 0xf9, 0, 0, 0)).target, AT + 0x100);
	assert_true(decode_one(BYTES(0xff, 0xd0)).is_pointer);
	assert_false(decode_one(BYTES(0xff, 0x15, 0, 0, 0, 0)).is_pointer);
	expect_unknown(BYTES(0xe8, 0, 0, 0, 0)); /* reads the program counter */
	expect_unknown(BYTES(0xc2, 8, 0));
}

static void lengths_are_those_of_the_manual(void **state)
{
	(void)decode_one(BYTES(0x66, 0xc7, 0x00, 1, 2));
	(void)decode_one(BYTES(0x48, 0xc7, 0x04, 0x25, 0, 0, 0, 0, 1, 2, 3, 4));
	(void)decode_one(BYTES(0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8));
	(void)decode_one(BYTES(0xf6, 0xc1, 1));
	(void)decode_one(BYTES(0xf7, 0xd9));
	(void)decode_one(BYTES(0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8));
	(void)decode_one(BYTES(0xc5, 0xf8, 0x77));
	(void)decode_one(BYTES(0xc5, 0xfd, 0x70, 0xc0, 1));
	(void)decode_one(BYTES(0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07));
	(void)decode_one(BYTES(0x62, 0xf3, 0x75, 0x48, 0x25, 0xc0, 0xff));
	(void)decode_one(BYTES(0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0));
	expect_unknown(BYTES(0x48, 0xb8, 1, 2, 3)); /* truncated */
	expect_unknown(BYTES(0x06));
	expect_unknown(BYTES(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
			     0x66, 0x66, 0x66, 0x90));
}

static void padding_is_measured(void **state)
{
	const struct cfi_builder_bytes code =
		BYTES(0x66, 0x90, 0x0f, 0x1f, 0x40, 0, 0xcc, 0x55, 0x90);

	assert_int_equal(decode_padding(code.bytes, code.bytes + code.count), 7);
	assert_int_equal(decode_padding(code.bytes, code.bytes + 1), 0);
	assert_int_equal(decode_padding(code.bytes, code.bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_and_pops_name_their_register),
		cmocka_unit_test(arithmetic_on_sp_is_an_address),
		cmocka_unit_test(writes_of_the_frame_pointer_are_seen),
		cmocka_unit_test(jumps_and_calls_have_their_target),
		cmocka_unit_test(lengths_are_those_of_the_manual),
		cmocka_unit_test(padding_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
