/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_signal_frame - a signal frame leads to the interrupted frame and restores all its registers
 */

#include "tests/unit/bpf/sampled.h"

#define HANDLER 0x800u

/* Offsets from a signal frame's sp, by sys/ucontext.h. */
#define CONTEXT_RBX (40 + 8 * 11)
#define CONTEXT_R10 (40 + 8 * 2)

/* The leaf is the signal trampoline; the rule of the interrupted function may need any register. */
static void signal_interrupted(struct tm_rule interrupted)
{
	sampled_sigreturn(LEAF);
	sampled_row(LEAF, RULE_SIGNAL);
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
	sampled_sigreturn(LEAF + 1); /* to which the handler returns */
	sampled_row(LEAF, RULE_SIGNAL);
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

/* Its code is read up to where it can be: in front of the system call, at it, and in it. */
static void signal_frame_of_each_trampoline(void **state)
{
	static const uint8_t codes[2][9] = {{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05},
					    {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}};
	static const uint8_t bytes[2] = {9, 7};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned at = 0; at < 3; at++) {
			unsigned into = (const unsigned[]){0, bytes[i] - 2, bytes[i]}[at];

			(void)sampled_make(state);
			signal_interrupted(RULE(SP, 16));
			bpf_host_write(CODE(LEAF), codes[i], bytes[i]);
			sampled_store(SAMPLED_DATA + 0x108, CODE(START + 8));
			sampled.registers.rip = CODE(LEAF + into);
			sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF + into), FRAME_EXACT(CALLER),
				       FRAME_CALL(START + 8));
		}
}

/* A row that says so does not make it one. */
static void signal_frame_of_code_that_is_no_trampoline_stops(void **state)
{
	signal_interrupted(RULE(SP, 16));
	sampled_store(SAMPLED_DATA + 0x108, CODE(START + 8));
	sampled_bytes(CODE(LEAF), 0x48, 0xc7, 0xc0, 0x0e);
	expect_trampoline(TM_STOP_RETURN_ADDRESS);
}

static void signal_frame_with_its_registers_elsewhere_stops(void **state)
{
	struct tm_rule rules[] = {RULE_SIGNAL, RULE_SIGNAL, RULE_SIGNAL, RULE_SIGNAL};

	rules[0].cfa_offset += 8;
	rules[1].ra_offset += 8;
	rules[2].fp_offset += 8;
	rules[3].cfa_add = 1;
	for (unsigned i = 0; i < 4; i++) {
		(void)sampled_make(state);
		sampled_sigreturn(LEAF);
		sampled_row(LEAF, rules[i]);
		sampled_row(START, RULE_END);
		sampled_words(SAMPLED_SP + 160, SAMPLED_DATA, CODE(START), CODE(START));
		expect_trampoline(TM_STOP_RETURN_ADDRESS);
	}
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
		SAMPLED_TEST(signal_frame_of_each_trampoline),
		SAMPLED_TEST(signal_frame_of_code_that_is_no_trampoline_stops),
		SAMPLED_TEST(signal_frame_with_its_registers_elsewhere_stops),
		SAMPLED_TEST(signal_frame_whose_address_is_no_code_stops),
	};

	return SAMPLED_RUN(tests);
}
