/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_unwind_saved - saved registers are restored, or the stack ends for the right reason
 */

#include "tests/unit/bpf/sampled.h"

#define SAVED(...) ((struct tm_rule){.cfa = TM_CFA_SP, .cfa_offset = 32, __VA_ARGS__})
#define CFA        (SAMPLED_SP + 32)    /* the leaf's, by SAVED() */
#define FP         (SAMPLED_SP + 0x200) /* of the caller, if all is right */

/* The leaf has this rule. Its caller is unwound by the frame pointer, which must be FP. */
static void leaf_saves(struct tm_rule rule)
{
	sampled_row(LEAF, rule);
	sampled_row(CALLER, RULE(FP, 16));
	sampled_row(START, RULE_END);
	sampled_store(FP + 8, CODE(START + 8));
}

/* --- the return address ----------------------------------------------------------------------- */

static void return_address_at_sp(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_SP, .ra_offset = 8, .fp = TM_SAVED_SAME));
	sampled.registers.rbp = FP;
	sampled_store(SAMPLED_SP + 8, CODE(CALLER + 8));
	sampled_expect_whole();
}

static void return_address_off_the_stack_faults(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_SP, .ra_offset = -0x7000, .fp = TM_SAVED_SAME));
	sampled.registers.rbp = FP;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void return_address_at_fp(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_FP, .ra_offset = -16, .fp = TM_SAVED_SAME));
	sampled.registers.rbp = FP;
	sampled_store(FP - 16, CODE(CALLER + 8));
	sampled_expect_whole();
}

static void return_address_at_a_wild_fp_faults(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_FP, .ra_offset = -16, .fp = TM_SAVED_SAME));
	sampled.registers.rbp = 0xdead0000;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void return_address_in_a_register(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_REGISTER, .ra_offset = R10, .fp = TM_SAVED_SAME));
	sampled.registers.rbp = FP;
	sampled.registers.r10 = CODE(CALLER + 8);
	sampled_expect_whole();
}

static void return_address_in_a_register_of_a_caller_is_not_known(void **state)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, SAVED(.ra = TM_SAVED_REGISTER, .ra_offset = R12, .fp = TM_SAVED_SAME));
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled.registers.r12 = CODE(START + 8);
	sampled_expect_caller(TM_STOP_STACK_FAULT);
}

static void return_address_in_a_register_that_is_data_stops(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_REGISTER, .ra_offset = R10, .fp = TM_SAVED_SAME));
	sampled.registers.r10 = SAMPLED_DATA;
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

/* --- the frame pointer ------------------------------------------------------------------------ */

static void frame_pointer_at_the_cfa(void **state)
{
	leaf_saves(
		SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_CFA, .fp_offset = -16));
	sampled_words(CFA - 16, FP, CODE(CALLER + 8));
	sampled_expect_whole();
}

static void frame_pointer_far_below_the_cfa(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_CFA,
			 .fp_offset = -0x900));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled_store(CFA - 0x900, FP);
	sampled_expect_whole();
}

static void frame_pointer_off_the_stack_faults(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_CFA,
			 .fp_offset = -0x7000));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void frame_pointer_at_sp(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_SP, .fp_offset = 8));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled_store(SAMPLED_SP + 8, FP);
	sampled_expect_whole();
}

static void frame_pointer_at_fp(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_FP, .fp_offset = 24));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.rbp = SAMPLED_SP + 0x80;
	sampled_store(SAMPLED_SP + 0x80 + 24, FP);
	sampled_expect_whole();
}

static void frame_pointer_at_a_wild_fp_faults(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_FP, .fp_offset = 24));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.rbp = 0xdead0000;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void frame_pointer_in_a_register(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_REGISTER,
			 .fp_offset = R11));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.r11 = FP;
	sampled_expect_whole();
}

static void frame_pointer_in_a_register_of_a_caller_is_not_known(void **state)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_REGISTER,
				  .fp_offset = R12));
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled_store(SAMPLED_SP + 32, CODE(START + 8));
	sampled.registers.r12 = FP;
	sampled_expect_caller(TM_STOP_STACK_FAULT);
}

/* The rule says that the frame pointer is lost, so its old value must not be used. */
static void lost_frame_pointer_is_zero(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_NOWHERE));
	sampled_words(CFA - 8, CODE(CALLER + 8), FP);
	sampled.registers.rbp = FP;
	sampled_expect_caller(TM_STOP_STACK_FAULT);
}

/* --- a lost stack pointer --------------------------------------------------------------------- */

static void lost_sp_is_restored_by_fp(void **state)
{
	leaf_saves(SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_SAME,
			 .flags = TM_RULE_SP_LOST));
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.rbp = FP;
	sampled_expect_whole();
}

/* After a frame that was unwound by the frame pointer sp is known, and is checked. */
static void lost_sp_is_known_again_after_a_frame(void **state)
{
	sampled_row(LEAF, SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_SAME,
				.flags = TM_RULE_SP_LOST));
	sampled_row(CALLER, RULE(FP, 16));
	sampled_row(SECOND, RULE(SP, 16));
	sampled_row(START, RULE_END);
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.rbp = FP;
	sampled_words(FP + 8, CODE(SECOND + 8), 0, CODE(START + 8));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8),
		       FRAME_CALL(SECOND + 8), FRAME_CALL(START + 8));
}

/* The same where that frame has no rule. Its frame pointer may lie below the stale sp. */
static void lost_sp_is_known_again_after_a_frame_record(void **state)
{
	const uint64_t record = SAMPLED_STACK + 0x40;

	sampled_row(LEAF, SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .fp = TM_SAVED_SAME,
				.flags = TM_RULE_SP_LOST));
	sampled_row(CALLER, (struct tm_rule){.cfa = TM_CFA_NONE});
	sampled_row(SECOND, RULE(SP, 16));
	sampled_row(START, RULE_END);
	sampled_store(CFA - 8, CODE(CALLER + 8));
	sampled.registers.rbp = record;
	sampled_words(record, 0, CODE(SECOND + 8), 0, CODE(START + 8));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8),
		       FRAME_CALL(SECOND + 8), FRAME_CALL(START + 8));
}

static void lost_sp_cannot_give_a_cfa(void **state)
{
	static const struct tm_rule by_sp[] = {
		{.cfa = TM_CFA_SP, .cfa_offset = 8, .ra = TM_SAVED_CFA, .ra_offset = -8},
		{.cfa = TM_CFA_PLT,
		 .cfa_offset = 8,
		 .cfa_add = 15,
		 .ra = TM_SAVED_CFA,
		 .ra_offset = -8},
		{.cfa = TM_CFA_DEREF_SP, .cfa_offset = 8, .ra = TM_SAVED_CFA, .ra_offset = -8},
		{.cfa = TM_CFA_DEREF_INDEXED,
		 .cfa_offset = 8,
		 .base = RBX,
		 .ra = TM_SAVED_CFA,
		 .ra_offset = -8},
	};

	for (unsigned i = 0; i < sizeof(by_sp) / sizeof(by_sp[0]); i++) {
		(void)sampled_make(state);
		sampled_row(LEAF,
			    SAVED(.ra = TM_SAVED_CFA, .ra_offset = -8, .flags = TM_RULE_SP_LOST));
		sampled_row(CALLER, by_sp[i]);
		sampled_row(START, RULE_END);
		sampled_words(CFA - 8, CODE(CALLER + 8), CODE(START + 8), CFA + 8);
		sampled_expect_caller(TM_STOP_RETURN_ADDRESS);
	}
}

/* --- a callee-saved register ------------------------------------------------------------------ */

/* The leaf saves rbx or not, with this flag; its caller's CFA is in rbx. */
static void caller_needs_rbx(uint8_t flags)
{
	sampled_row(LEAF, RULE(SP, 24, .flags = flags, .cfa_add = 3));
	sampled_row(CALLER, RULE(REGISTER, 16, .base = RBX));
	sampled_row(START, RULE_END);
	sampled_words(SAMPLED_SP, FP, 0, CODE(CALLER + 8)); /* rbx at cfa - 3 * 8 */
	sampled_store(FP + 8, CODE(START + 8));
}

static void saved_rbx_is_known_in_the_caller(void **state)
{
	caller_needs_rbx(TM_RULE_KEPT);
	sampled.registers.rbx = 1;
	sampled_expect_whole();
}

static void untouched_rbx_is_known_in_the_caller(void **state)
{
	caller_needs_rbx(0);
	sampled.registers.rbx = FP;
	sampled_expect_whole();
}

static void rbx_saved_off_the_stack_is_not_known(void **state)
{
	sampled_row(LEAF, RULE(SP, 24, .flags = TM_RULE_KEPT, .cfa_add = 255));
	sampled_row(CALLER, RULE(REGISTER, 16, .base = RBX));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = SAMPLED_STACK;
	sampled.registers.rbx = FP;
	sampled_store(SAMPLED_STACK + 16, CODE(CALLER + 8));
	sampled_store(FP + 8, CODE(START + 8));
	sampled_expect_caller(TM_STOP_RETURN_ADDRESS);
}

static void rbx_is_not_known_above_a_frame_without_a_rule(void **state)
{
	caller_needs_rbx(0);
	sampled.registers.rip = CODE(LEAF - 0x10); /* before the first row: no rule */
	sampled.registers.rbp = SAMPLED_SP + 8;
	sampled.registers.rbx = FP;
	sampled_expect(TM_STOP_RETURN_ADDRESS, FRAME_EXACT(LEAF - 0x10), FRAME_CALL(CALLER + 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(return_address_at_sp),
		SAMPLED_TEST(return_address_off_the_stack_faults),
		SAMPLED_TEST(return_address_at_fp),
		SAMPLED_TEST(return_address_at_a_wild_fp_faults),
		SAMPLED_TEST(return_address_in_a_register),
		SAMPLED_TEST(return_address_in_a_register_of_a_caller_is_not_known),
		SAMPLED_TEST(return_address_in_a_register_that_is_data_stops),
		SAMPLED_TEST(frame_pointer_at_the_cfa),
		SAMPLED_TEST(frame_pointer_far_below_the_cfa),
		SAMPLED_TEST(frame_pointer_off_the_stack_faults),
		SAMPLED_TEST(frame_pointer_at_sp),
		SAMPLED_TEST(frame_pointer_at_fp),
		SAMPLED_TEST(frame_pointer_at_a_wild_fp_faults),
		SAMPLED_TEST(frame_pointer_in_a_register),
		SAMPLED_TEST(frame_pointer_in_a_register_of_a_caller_is_not_known),
		SAMPLED_TEST(lost_frame_pointer_is_zero),
		SAMPLED_TEST(lost_sp_is_restored_by_fp),
		SAMPLED_TEST(lost_sp_is_known_again_after_a_frame),
		SAMPLED_TEST(lost_sp_is_known_again_after_a_frame_record),
		SAMPLED_TEST(lost_sp_cannot_give_a_cfa),
		SAMPLED_TEST(saved_rbx_is_known_in_the_caller),
		SAMPLED_TEST(untouched_rbx_is_known_in_the_caller),
		SAMPLED_TEST(rbx_saved_off_the_stack_is_not_known),
		SAMPLED_TEST(rbx_is_not_known_above_a_frame_without_a_rule),
	};

	return SAMPLED_RUN(tests);
}
