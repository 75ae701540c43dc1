/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_unwind_prologue - leaf functions that have no frame record yet or any more, and threads that
 * have just begun
 */

#include "tests/unit/bpf/sampled.h"

#define FP      (SAMPLED_SP + 0x100)
#define ROW     0x10000u /* the only row: there is no rule for offsets below it */
#define SYSCALL 0x0f, 0x05

/* --- the leaf's prologue and epilogue --------------------------------------------------------- */

/*
 * The leaf's return address is at sp + @at, and a call precedes that address in the caller. The
 * chain, where it is followed instead, leads past that caller to START.
 */
static void leaf_without_record(uint64_t at)
{
	sampled_row(ROW, RULE_END);
	sampled.registers.rbp = FP;
	sampled_words(FP, 0, CODE(START + 8));
	sampled_store(SAMPLED_SP + at, CODE(CALLER + 8));
	sampled_bytes(CODE(CALLER + 3), 0xe8, 0, 0, 0, 0); /* call */
}

static void expect_passed_over(void)
{
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(START + 8));
}

static void prologue_before_its_push(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x55, 0x48, 0x89, 0xe5);
	sampled_expect_whole();
}

static void prologue_before_its_endbr_and_push(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0xf3, 0x0f, 0x1e, 0xfa, 0x55);
	sampled_expect_whole();
}

static void prologue_before_its_mov(void **state)
{
	leaf_without_record(8);
	sampled_bytes(CODE(LEAF), 0x48, 0x89, 0xe5);
	sampled_expect_whole();
}

static void epilogue_before_its_ret(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0xc3);
	sampled_expect_whole();
}

static void epilogue_before_its_rep_ret(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0xf3, 0xc3);
	sampled_expect_whole();
}

static void body_has_its_record(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x90, 0x55);
	expect_passed_over();
}

static void endbr_without_push_begins_no_frame_record(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0xf3, 0x0f, 0x1e, 0xfa, 0x90);
	expect_passed_over();
}

/* Both the word at sp and the frame record lie in a page that is not mapped. */
static void unmapped_stack_faults(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x55);
	sampled.registers.rsp = SAMPLED_STACK + SAMPLED_STACK_BYTES;
	sampled.registers.rbp = SAMPLED_STACK + SAMPLED_STACK_BYTES + 16;
	sampled_expect(TM_STOP_STACK_FAULT, FRAME_EXACT(LEAF));
}

static void call_through_a_register(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x55);
	sampled_bytes(CODE(CALLER + 1), 0, 0, 0, 0, 0, 0xff, 0xd0); /* call *%rax */
	sampled_expect_whole();
}

static void call_through_memory(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x55);
	sampled_bytes(CODE(CALLER + 1), 0, 0xff, 0x15, 0, 0, 0, 0); /* call *0(%rip) */
	sampled_expect_whole();
}

static void word_without_a_preceding_call_is_no_return_address(void **state)
{
	leaf_without_record(0);
	sampled_bytes(CODE(LEAF), 0x55);
	sampled_bytes(CODE(CALLER + 1), 0, 0, 0xe9, 0, 0, 0xff, 0xe0); /* jumps */
	expect_passed_over();
}

static void prologue_of_a_caller_is_not_examined(void **state)
{
	sampled_row(ROW, RULE_END);
	sampled.registers.rbp = FP;
	sampled_words(FP, FP + 0x40, CODE(CALLER + 8));
	sampled_bytes(CODE(CALLER + 8), 0x55);
	sampled_bytes(CODE(START + 3), 0xe8, 0, 0, 0, 0);
	sampled_store(FP + 16, CODE(START + 8)); /* at the caller's sp */
	sampled_words(FP + 0x40, 0, CODE(START + 0x18));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8),
		       FRAME_CALL(START + 0x18));
}

/* --- a new thread ----------------------------------------------------------------------------- */

/* The leaf is right after the system call of clone, and its rule leads to no caller. */
static void after_clone(uint64_t result)
{
	sampled_row(LEAF, RULE(SP, 16));
	sampled.registers.rip = CODE(LEAF + 2);
	sampled.registers.rax = result;
	sampled_bytes(CODE(LEAF), SYSCALL);
	sampled_store(SAMPLED_SP + 8, 77);
}

static void new_thread_has_no_caller(void **state)
{
	after_clone(0);
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF + 2));
}

static void new_thread_on_an_unreadable_stack_has_no_caller(void **state)
{
	after_clone(0);
	sampled.registers.rsp = 0x3000;
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF + 2));
}

static void parent_after_clone_has_a_caller(void **state)
{
	after_clone(4711);
	sampled_expect(TM_STOP_RETURN_ADDRESS, FRAME_EXACT(LEAF + 2));
}

static void zero_result_of_no_system_call_is_no_new_thread(void **state)
{
	after_clone(0);
	sampled_bytes(CODE(LEAF), 0x90, 0x90);
	sampled_expect(TM_STOP_RETURN_ADDRESS, FRAME_EXACT(LEAF + 2));
}

static void caller_after_a_system_call_is_no_new_thread(void **state)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, RULE(SP, 16));
	sampled.registers.rax = 0;
	sampled_words(SAMPLED_SP, CODE(CALLER + 8), 0, 77);
	sampled_bytes(CODE(CALLER + 6), SYSCALL);
	sampled_expect(TM_STOP_RETURN_ADDRESS, FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(prologue_before_its_push),
		SAMPLED_TEST(prologue_before_its_endbr_and_push),
		SAMPLED_TEST(prologue_before_its_mov),
		SAMPLED_TEST(epilogue_before_its_ret),
		SAMPLED_TEST(epilogue_before_its_rep_ret),
		SAMPLED_TEST(body_has_its_record),
		SAMPLED_TEST(endbr_without_push_begins_no_frame_record),
		SAMPLED_TEST(unmapped_stack_faults),
		SAMPLED_TEST(call_through_a_register),
		SAMPLED_TEST(call_through_memory),
		SAMPLED_TEST(word_without_a_preceding_call_is_no_return_address),
		SAMPLED_TEST(prologue_of_a_caller_is_not_examined),
		SAMPLED_TEST(new_thread_has_no_caller),
		SAMPLED_TEST(new_thread_on_an_unreadable_stack_has_no_caller),
		SAMPLED_TEST(parent_after_clone_has_a_caller),
		SAMPLED_TEST(zero_result_of_no_system_call_is_no_new_thread),
		SAMPLED_TEST(caller_after_a_system_call_is_no_new_thread),
	};

	return SAMPLED_RUN(tests);
}
