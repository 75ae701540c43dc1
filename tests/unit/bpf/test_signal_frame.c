/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_signal_frame - a signal frame leads to the interrupted frame and restores all its registers
 */

#include "tests/unit/bpf/sampled.h"

#define HANDLER 0x800u

/* Offsets from a signal frame's sp, by sys/ucontext.h. */
#define CONTEXT_RBX (40 + 8 * 11)
#define CONTEXT_R10 (40 + 8 * 2)

static const struct tm_rule trampoline_rule = {
	.cfa = TM_CFA_DEREF_SP,
	.cfa_offset = 160,
	.ra = TM_SAVED_SP,
	.ra_offset = 168,
	.fp = TM_SAVED_SP,
	.fp_offset = 120,
	.flags = TM_RULE_SIGNAL,
};

/* The leaf is the signal trampoline; the rule of the interrupted function may need any register. */
static void signal_interrupted(struct tm_rule interrupted)
{
	sampled_row(LEAF, trampoline_rule);
	sampled_row(CALLER, interrupted);
	sampled_row(START, RULE_END);
	sampled_words(SAMPLED_SP + 160, SAMPLED_DATA + 0x100, CODE(CALLER));
	sampled_store(SAMPLED_SP + 120, SAMPLED_DATA + 0x200);
}

static void expect_trampoline(enum tm_stop stop)
{
	sampled_expect(stop, FRAME_EXACT(LEAF));
}

static void expect_interrupted(void)
{
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_EXACT(CALLER), FRAME_CALL(START + 8));
}

/* Its address is exact: the row that begins there covers it. It is on another stack. */
static void signal_frame_leads_to_the_interrupted_frame(void **state)
{
	signal_interrupted(RULE(SP, 16));
	sampled_store(SAMPLED_DATA + 0x108, CODE(START + 8));
	expect_interrupted();
}

static void signal_frame_restores_the_frame_pointer(void **state)
{
	signal_interrupted(RULE(FP, 16));
	sampled_store(SAMPLED_DATA + 0x208, CODE(START + 8));
	expect_interrupted();
}

static void signal_frame_restores_any_register(void **state)
{
	signal_interrupted(RULE(REGISTER, 16, .base = R10));
	sampled.registers.r10 = 1;
	sampled_store(SAMPLED_SP + CONTEXT_R10, SAMPLED_DATA + 0x300);
	sampled_store(SAMPLED_DATA + 0x308, CODE(START + 8));
	expect_interrupted();
}

static void signal_frame_restores_rbx(void **state)
{
	signal_interrupted(RULE(REGISTER, 16, .base = RBX));
	sampled.registers.rbx = 1;
	sampled_store(SAMPLED_SP + CONTEXT_RBX, SAMPLED_DATA + 0x300);
	sampled_store(SAMPLED_DATA + 0x308, CODE(START + 8));
	expect_interrupted();
}

/*
 * A handler without a rule lost rbx, but the signal frame holds all registers. So rbx is known in
 * the interrupted frame's caller, too.
 */
static void signal_frame_restores_what_the_handler_lost(void **state)
{
	sampled_row(HANDLER, (struct tm_rule){.cfa = TM_CFA_NONE});
	sampled_row(LEAF, trampoline_rule);
	sampled_row(CALLER, RULE(SP, 16));
	sampled_row(SECOND, RULE(REGISTER, 16, .base = RBX));
	sampled_row(START, RULE_END);
	sampled.registers.rip = CODE(HANDLER);
	sampled.registers.rsp = SAMPLED_SP - 32;
	sampled.registers.rbp = SAMPLED_SP - 16;
	sampled_words(SAMPLED_SP - 16, 0, CODE(LEAF + 1));
	sampled_words(SAMPLED_SP + 160, SAMPLED_DATA + 0x100, CODE(CALLER));
	sampled_store(SAMPLED_DATA + 0x108, CODE(SECOND + 8));
	sampled_store(SAMPLED_SP + CONTEXT_RBX, SAMPLED_DATA + 0x300);
	sampled_store(SAMPLED_DATA + 0x308, CODE(START + 8));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(HANDLER), FRAME_CALL(LEAF + 1),
		       FRAME_EXACT(CALLER), FRAME_CALL(SECOND + 8), FRAME_CALL(START + 8));
}

static void signal_frame_off_the_stack_stops(void **state)
{
	signal_interrupted(RULE(SP, 16));
	sampled.registers.rsp = SAMPLED_STACK + SAMPLED_STACK_BYTES - 64;
	expect_trampoline(TM_STOP_RETURN_ADDRESS);
}

static void signal_frame_whose_address_is_no_code_stops(void **state)
{
	signal_interrupted(RULE(SP, 16));
	sampled_store(SAMPLED_SP + 168, SAMPLED_DATA);
	expect_trampoline(TM_STOP_RETURN_ADDRESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(signal_frame_leads_to_the_interrupted_frame),
		SAMPLED_TEST(signal_frame_restores_the_frame_pointer),
		SAMPLED_TEST(signal_frame_restores_any_register),
		SAMPLED_TEST(signal_frame_restores_rbx),
		SAMPLED_TEST(signal_frame_restores_what_the_handler_lost),
		SAMPLED_TEST(signal_frame_off_the_stack_stops),
		SAMPLED_TEST(signal_frame_whose_address_is_no_code_stops),
	};

	return SAMPLED_RUN(tests);
}
