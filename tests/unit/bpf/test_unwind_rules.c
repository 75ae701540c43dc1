/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_unwind_rules - every kind of CFA rule leads to the caller, or the stack ends for the right
 * reason
 */

#include "tests/unit/bpf/sampled.h"

static void rules(struct tm_rule leaf, struct tm_rule caller)
{
	sampled_row(LEAF, leaf);
	sampled_row(CALLER, caller);
	sampled_row(START, RULE_END);
}

/* The leaf has this rule; the frame that it leads to begins at @cfa, if all is right. */
static void leaf_with_cfa(struct tm_rule rule, uint64_t cfa)
{
	rules(rule, RULE(SP, 16));
	sampled_words(cfa - 8, CODE(CALLER + 8), 0, CODE(START + 8));
}

/* The caller has this rule. As a caller, registers that its callee may have saved are not known. */
static void caller_with_cfa(struct tm_rule rule, uint64_t cfa)
{
	rules(RULE(SP, 8), rule);
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled_store(cfa - 8, CODE(START + 8));
}

/* --- no rule, the outermost frame ------------------------------------------------------------- */

static void address_without_a_rule_is_walked_by_frame_pointer(void **state)
{
	rules(RULE_NONE, RULE(SP, 16));
	sampled.registers.rbp = SAMPLED_SP + 0x20;
	sampled_words(SAMPLED_SP + 0x20, 0, CODE(CALLER + 8), 0, CODE(START + 8));
	sampled_expect_whole();
}

static void address_without_a_rule_or_a_chain_stops(void **state)
{
	rules(RULE_NONE, RULE_END);
	sampled.registers.rbp = 0x13;
	sampled_expect_leaf(TM_STOP_FRAME_POINTER);
}

static void outermost_frame_is_complete(void **state)
{
	rules(RULE_END, RULE_END);
	sampled_expect_leaf(TM_STOP_NONE);
}

static void outermost_frame_that_called_is_complete(void **state)
{
	rules(RULE(SP, 8), (struct tm_rule){.cfa = TM_CFA_END, .flags = TM_RULE_SP_LOST});
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled_expect_caller(TM_STOP_NONE);
}

static void outermost_frame_on_an_unknown_stack_stops(void **state)
{
	rules((struct tm_rule){.cfa = TM_CFA_END, .flags = TM_RULE_SP_LOST}, RULE_END);
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

/* --- sp and fp -------------------------------------------------------------------------------- */

static void sp_leads_to_the_caller(void **state)
{
	leaf_with_cfa(RULE(SP, 24), SAMPLED_SP + 24);
	sampled_expect_whole();
}

static void sp_off_the_stack_faults(void **state)
{
	leaf_with_cfa(RULE(SP, 24), SAMPLED_SP + 24);
	sampled.registers.rsp = SAMPLED_STACK - 0x10000;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void return_address_in_data_stops(void **state)
{
	leaf_with_cfa(RULE(SP, 24), SAMPLED_SP + 24);
	sampled_store(SAMPLED_SP + 16, SAMPLED_DATA + 8);
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void return_address_without_a_mapping_stops(void **state)
{
	leaf_with_cfa(RULE(SP, 24), SAMPLED_SP + 24);
	sampled_store(SAMPLED_SP + 16, 0x10000);
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void cfa_below_sp_stops(void **state)
{
	leaf_with_cfa(RULE(SP, -64), SAMPLED_SP - 64);
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void zero_above_a_caller_ends_the_stack(void **state)
{
	caller_with_cfa(RULE(SP, 16), SAMPLED_SP + 24);
	sampled_store(SAMPLED_SP + 16, 0);
	sampled_expect_caller(TM_STOP_NONE);
}

static void zero_above_the_leaf_stops(void **state)
{
	leaf_with_cfa(RULE(SP, 24), SAMPLED_SP + 24);
	sampled_store(SAMPLED_SP + 16, 0);
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void initial_stack_of_the_process_ends_the_stack(void **state)
{
	caller_with_cfa(RULE(SP, 16), SAMPLED_SP + 24);
	sampled_store(SAMPLED_SP + 16, 1); /* argc */
	sampled.start_stack = SAMPLED_SP + 16;
	sampled_expect_caller(TM_STOP_NONE);
}

static void fp_leads_to_the_caller(void **state)
{
	sampled.registers.rbp = SAMPLED_SP + 0x100;
	leaf_with_cfa(RULE(FP, 16), SAMPLED_SP + 0x110);
	sampled_expect_whole();
}

static void fp_off_the_stack_faults(void **state)
{
	leaf_with_cfa(RULE(FP, 16), SAMPLED_SP + 0x110);
	sampled.registers.rbp = SAMPLED_STACK + SAMPLED_STACK_BYTES;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

/* --- other registers -------------------------------------------------------------------------- */

static void register_leads_to_the_caller(void **state)
{
	sampled.registers.r10 = SAMPLED_SP + 0x200;
	leaf_with_cfa(RULE(REGISTER, 8, .base = R10), SAMPLED_SP + 0x208);
	sampled_expect_whole();
}

static void register_that_does_not_exist_stops(void **state)
{
	leaf_with_cfa(RULE(REGISTER, 8, .base = 100), SAMPLED_SP + 8);
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

/* Each register has a value of its own: a wrong offset in either layout leads nowhere. */
static void registers_fill(void **state, bool in_kernel)
{
	struct pt_regs *r = &sampled.registers;
	unsigned long *const places[] = {&r->rax, &r->rdx, &r->rcx, &r->rbx, &r->rsi, &r->rdi,
					 &r->rbp, &r->rsp, &r->r8,  &r->r9,  &r->r10, &r->r11,
					 &r->r12, &r->r13, &r->r14, &r->r15};

	(void)sampled_make(state);
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		*places[i] = SAMPLED_SP + 0x1000 + 0x100 * i;
	sampled.in_kernel = in_kernel;
}

static void every_register_is_found(void **state)
{
	for (unsigned i = 0; i < R15 + 1; i++) {
		registers_fill(state, i & 1);
		leaf_with_cfa(RULE(REGISTER, 8, .base = (uint8_t)i),
			      SAMPLED_SP + 0x1008 + 0x100 * i);
		sampled_expect_whole();
	}
}

/* What a callee may have saved and changed is not known (rbx is followed: test_unwind_saved). */
static void every_register_that_callees_need_not_restore_is_found(void **state)
{
	static const uint8_t known[] = {RAX, RDX, RCX, RSI, RDI, R8, R9, R10, R11};

	for (unsigned i = 0; i < sizeof(known); i++) {
		registers_fill(state, i & 1);
		sampled.registers.rsp = SAMPLED_SP;
		caller_with_cfa(RULE(REGISTER, 8, .base = known[i]),
				SAMPLED_SP + 0x1008 + 0x100 * known[i]);
		sampled_expect_whole();
	}
	for (uint8_t i = R12; i <= R15; i++) {
		registers_fill(state, i & 1);
		sampled.registers.rsp = SAMPLED_SP;
		caller_with_cfa(RULE(REGISTER, 8, .base = i), SAMPLED_SP + 0x1008 + 0x100 * i);
		sampled_expect_caller(TM_STOP_RETURN_ADDRESS);
	}
}

/* --- a CFA in memory -------------------------------------------------------------------------- */

static void word_at_sp_leads_to_the_caller(void **state)
{
	sampled_store(SAMPLED_SP + 32, SAMPLED_SP + 0x300);
	leaf_with_cfa(RULE(DEREF_SP, 32, .cfa_add = 8), SAMPLED_SP + 0x308);
	sampled_expect_whole();
}

static void word_at_sp_off_the_stack_stops(void **state)
{
	leaf_with_cfa(RULE(DEREF_SP, 32), SAMPLED_SP + 0x300);
	sampled.registers.rsp = SAMPLED_STACK + SAMPLED_STACK_BYTES - 32;
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void word_at_sp_that_leads_nowhere_faults(void **state)
{
	leaf_with_cfa(RULE(DEREF_SP, 32), SAMPLED_SP + 0x300);
	sampled_store(SAMPLED_SP + 32, 0x1234568);
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

static void word_at_fp_leads_to_the_caller(void **state)
{
	sampled.registers.rbp = SAMPLED_SP + 0x80;
	sampled_store(SAMPLED_SP + 0x70, SAMPLED_SP + 0x300);
	leaf_with_cfa(RULE(DEREF_FP, -16), SAMPLED_SP + 0x300);
	sampled_expect_whole();
}

static void word_at_fp_off_the_stack_stops(void **state)
{
	leaf_with_cfa(RULE(DEREF_FP, -16), SAMPLED_SP + 0x300);
	sampled.registers.rbp = 0x1000;
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void word_at_a_register_leads_to_the_caller(void **state)
{
	sampled.registers.rsi = SAMPLED_SP + 0x40;
	sampled_store(SAMPLED_SP + 0x48, SAMPLED_SP + 0x400);
	leaf_with_cfa(RULE(DEREF_REGISTER, 8, .base = RSI, .cfa_add = 16), SAMPLED_SP + 0x410);
	sampled_expect_whole();
}

static void word_at_a_register_that_leads_nowhere_stops(void **state)
{
	leaf_with_cfa(RULE(DEREF_REGISTER, 8, .base = RSI), SAMPLED_SP + 0x400);
	sampled.registers.rsi = SAMPLED_DATA + SAMPLED_BYTES;
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void word_at_a_register_of_a_caller_is_not_known(void **state)
{
	sampled.registers.r12 = SAMPLED_SP + 0x40;
	sampled_store(SAMPLED_SP + 0x40, SAMPLED_SP + 0x400);
	caller_with_cfa(RULE(DEREF_REGISTER, 0, .base = R12), SAMPLED_SP + 0x400);
	sampled_expect_caller(TM_STOP_RETURN_ADDRESS);
}

static void indexed_word_leads_to_the_caller(void **state)
{
	sampled.registers.r9 = 5;
	sampled_store(SAMPLED_SP + 40 + 8, SAMPLED_SP + 0x500);
	leaf_with_cfa(RULE(DEREF_INDEXED, 8, .base = R9, .cfa_add = 8), SAMPLED_SP + 0x508);
	sampled_expect_whole();
}

static void indexed_word_off_the_stack_stops(void **state)
{
	leaf_with_cfa(RULE(DEREF_INDEXED, 8, .base = R9, .cfa_add = 8), SAMPLED_SP + 0x500);
	sampled.registers.r9 = 1ul << 40;
	sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
}

static void index_of_another_form_stops(void **state)
{
	static const struct tm_rule rules[] = {RULE(DEREF_INDEXED, 8, .base = RSI, .cfa_add = 8),
					       RULE(DEREF_INDEXED, 16, .base = R9, .cfa_add = 8),
					       RULE(DEREF_INDEXED, 8, .base = R9)};

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		(void)sampled_make(state);
		for (uint64_t at = 8; at < 0x100; at += 8)
			sampled_store(SAMPLED_SP + at, SAMPLED_SP + 0x500);
		sampled.registers.r9 = sampled.registers.rsi = 5;
		leaf_with_cfa(rules[i], SAMPLED_SP + 0x500 + rules[i].cfa_add);
		sampled_expect_leaf(TM_STOP_RETURN_ADDRESS);
	}
}

/* --- the expression of a PLT entry ------------------------------------------------------------ */

static void plt_entry_before_its_push(void **state)
{
	sampled.registers.rip = CODE(LEAF + 0x3a);
	leaf_with_cfa(RULE(PLT, 8, .cfa_add = 11), SAMPLED_SP + 8);
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF + 0x3a), FRAME_CALL(CALLER + 8),
		       FRAME_CALL(START + 8));
}

static void plt_entry_after_its_push(void **state)
{
	sampled.registers.rip = CODE(LEAF + 0x3b);
	leaf_with_cfa(RULE(PLT, 8, .cfa_add = 11), SAMPLED_SP + 16);
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF + 0x3b), FRAME_CALL(CALLER + 8),
		       FRAME_CALL(START + 8));
}

static void plt_entry_off_the_stack_faults(void **state)
{
	leaf_with_cfa(RULE(PLT, 8, .cfa_add = 11), SAMPLED_SP + 8);
	sampled.registers.rsp = 0x1000;
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(address_without_a_rule_is_walked_by_frame_pointer),
		SAMPLED_TEST(address_without_a_rule_or_a_chain_stops),
		SAMPLED_TEST(outermost_frame_is_complete),
		SAMPLED_TEST(outermost_frame_that_called_is_complete),
		SAMPLED_TEST(outermost_frame_on_an_unknown_stack_stops),
		SAMPLED_TEST(sp_leads_to_the_caller),
		SAMPLED_TEST(sp_off_the_stack_faults),
		SAMPLED_TEST(return_address_in_data_stops),
		SAMPLED_TEST(return_address_without_a_mapping_stops),
		SAMPLED_TEST(cfa_below_sp_stops),
		SAMPLED_TEST(zero_above_a_caller_ends_the_stack),
		SAMPLED_TEST(zero_above_the_leaf_stops),
		SAMPLED_TEST(initial_stack_of_the_process_ends_the_stack),
		SAMPLED_TEST(fp_leads_to_the_caller),
		SAMPLED_TEST(fp_off_the_stack_faults),
		SAMPLED_TEST(register_leads_to_the_caller),
		SAMPLED_TEST(register_that_does_not_exist_stops),
		SAMPLED_TEST(every_register_is_found),
		SAMPLED_TEST(every_register_that_callees_need_not_restore_is_found),
		SAMPLED_TEST(word_at_sp_leads_to_the_caller),
		SAMPLED_TEST(word_at_sp_off_the_stack_stops),
		SAMPLED_TEST(word_at_sp_that_leads_nowhere_faults),
		SAMPLED_TEST(word_at_fp_leads_to_the_caller),
		SAMPLED_TEST(word_at_fp_off_the_stack_stops),
		SAMPLED_TEST(word_at_a_register_leads_to_the_caller),
		SAMPLED_TEST(word_at_a_register_that_leads_nowhere_stops),
		SAMPLED_TEST(word_at_a_register_of_a_caller_is_not_known),
		SAMPLED_TEST(indexed_word_leads_to_the_caller),
		SAMPLED_TEST(indexed_word_off_the_stack_stops),
		SAMPLED_TEST(index_of_another_form_stops),
		SAMPLED_TEST(plt_entry_before_its_push),
		SAMPLED_TEST(plt_entry_after_its_push),
		SAMPLED_TEST(plt_entry_off_the_stack_faults),
	};

	return SAMPLED_RUN(tests);
}
