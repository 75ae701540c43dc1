/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_frame_pointer - stacks walked by frame pointers: where they end and where they break
 */

#include "tests/unit/bpf/sampled.h"

#define FP                    (SAMPLED_SP + 0x100)
#define ROW                   0x10000u /* the only row: there is no rule for offsets below it */
#define SYSCALL               0x0f, 0x05

#define LIBRARY_EXACT(offset) FRAME_EXACT(offset)
#define LIBRARY(offset)       (SAMPLED_LIBRARY + (offset))

/* The code's file has a table without rules for it; the leaf has a frame record at FP. */
static void chain(uint64_t caller_fp, uint64_t return_address)
{
	sampled_row(ROW, RULE_END);
	sampled.registers.rbp = FP;
	sampled_words(FP, caller_fp, return_address);
}

/* --- the chain -------------------------------------------------------------------------------- */

static void chain_to_a_zero_is_complete(void **state)
{
	chain(FP + 0x40, CODE(CALLER + 8));
	sampled_words(FP + 0x40, 0, CODE(START + 8));
	sampled_expect_whole();
}

static void zero_frame_pointer_in_the_leaf_is_no_chain(void **state)
{
	chain(0, 0);
	sampled.registers.rbp = 0;
	sampled_expect_leaf(TM_STOP_FRAME_POINTER);
}

static void zero_return_address_ends_the_chain(void **state)
{
	chain(FP + 0x40, CODE(CALLER + 8));
	sampled_words(FP + 0x40, 0, 0);
	sampled_expect_caller(TM_STOP_NONE);
}

static void unaligned_frame_pointer_breaks_the_chain(void **state)
{
	chain(FP + 0x41, CODE(CALLER + 8));
	sampled_words(FP + 0x41, 0, CODE(START + 8));
	sampled_expect_caller(TM_STOP_FRAME_POINTER);
}

static void frame_pointer_below_sp_breaks_the_chain(void **state)
{
	chain(FP - 0x40, CODE(CALLER + 8));
	sampled_words(FP - 0x40, 0, CODE(START + 8));
	sampled_expect_caller(TM_STOP_FRAME_POINTER);
}

static void frame_that_is_too_large_breaks_the_chain(void **state)
{
	const uint64_t far = SAMPLED_STACK + (64ull << 20);

	chain(far, CODE(CALLER + 8));
	bpf_host_memory(far, 64);
	sampled_words(far, 0, CODE(START + 8));
	sampled_expect_caller(TM_STOP_FRAME_POINTER);
}

static void frame_pointer_off_the_stack_faults(void **state)
{
	chain(SAMPLED_STACK + SAMPLED_STACK_BYTES + 0x100, CODE(CALLER + 8));
	sampled_expect_caller(TM_STOP_STACK_FAULT);
}

static void return_address_that_is_no_code_breaks_the_chain(void **state)
{
	chain(FP + 0x40, CODE(CALLER + 8));
	sampled_words(FP + 0x40, FP + 0x80, SAMPLED_DATA);
	sampled_expect_caller(TM_STOP_FRAME_POINTER);
}

static void chain_to_the_initial_stack_is_complete(void **state)
{
	chain(1, CODE(CALLER + 8)); /* _start has garbage in its frame pointer */
	sampled.start_stack = FP + 16 + 56;
	sampled_expect_caller(TM_STOP_NONE);
}

static void chain_that_ends_below_the_initial_stack_breaks(void **state)
{
	chain(1, CODE(CALLER + 8));
	sampled.start_stack = FP + 16 + 64;
	sampled_expect_caller(TM_STOP_FRAME_POINTER);
}

static void anonymous_code_is_walked_by_frame_pointer(void **state)
{
	chain(0, CODE(CALLER + 8));
	sampled.registers.rip = SAMPLED_JIT + 0x10;
	sampled_expect(TM_STOP_NONE, FRAME_KIND(ANON) | (SAMPLED_JIT + 0x10),
		       FRAME_CALL(CALLER + 8));
}

static void recursion_is_cut_at_the_depth_limit(void **state)
{
	const struct tm_sample *sample;

	chain(FP + 16, CODE(CALLER + 8));
	for (uint64_t i = 1; i < TM_USER_FRAMES_MAX + 8; i++)
		sampled_words(FP + 16 * i, FP + 16 * (i + 1), CODE(CALLER + 8));
	sample = sampled_take();
	assert_int_equal(sample->user_stop, TM_STOP_DEPTH);
	assert_int_equal(sample->user_frames, TM_USER_FRAMES_MAX);
}

static void recursion_of_a_frame_less_than_the_limit_is_whole(void **state)
{
	const struct tm_sample *sample;

	chain(FP + 16, CODE(CALLER + 8));
	for (uint64_t i = 1; i < TM_USER_FRAMES_MAX - 2; i++)
		sampled_words(FP + 16 * i, i < TM_USER_FRAMES_MAX - 3 ? FP + 16 * (i + 1) : 0,
			      CODE(CALLER + 8));
	sample = sampled_take();
	assert_int_equal(sample->user_stop, TM_STOP_NONE);
	assert_int_equal(sample->user_frames, TM_USER_FRAMES_MAX - 1);
}

static void slow_stack_is_cut_for_time(void **state)
{
	const struct tm_sample *sample;

	chain(FP + 16, CODE(CALLER + 8));
	for (uint64_t i = 1; i < 2000; i++)
		sampled_words(FP + 16 * i, FP + 16 * (i + 1), CODE(CALLER + 8));
	sampled_install();
	(void)sampled_once(); /* so that where mappings are cached, no lookup reads the clock */
	bpf_host_clock(400000);
	sample = sampled_take();
	assert_int_equal(sample->user_stop, TM_STOP_TIME);
	assert_int_equal(sample->user_frames % 16, 0); /* the clock is read every 16 frames */
	assert_in_range(sample->user_frames, 2 * 16, 3 * 16);
}

/* --- code whose table is not installed yet ---------------------------------------------------- */

static void chain_from_unknown_code_is_followed(void **state)
{
	chain(0, CODE(CALLER + 8));
	sampled.registers.rip = LIBRARY(0x20);
	/* A zero proves nothing: the code may not keep frame pointers. */
	sampled_expect(TM_STOP_NO_TABLE, LIBRARY_EXACT(0x20), FRAME_CALL(CALLER + 8));
}

static void broken_chain_from_unknown_code_stops_for_no_table(void **state)
{
	chain(0, CODE(CALLER + 8));
	sampled.registers.rip = LIBRARY(0x20);
	sampled.registers.rbp = 3;
	sampled_expect(TM_STOP_NO_TABLE, LIBRARY_EXACT(0x20));
}

static void fault_from_unknown_code_stops_for_no_table(void **state)
{
	chain(0, CODE(CALLER + 8));
	sampled.registers.rip = LIBRARY(0x20);
	sampled.registers.rbp = SAMPLED_STACK + SAMPLED_STACK_BYTES + 64;
	sampled_expect(TM_STOP_NO_TABLE, LIBRARY_EXACT(0x20));
}

static void failing_rule_above_unknown_code_stops_for_no_table(void **state)
{
	sampled_row(CALLER, RULE(SP, 0x4000000));
	sampled.registers.rip = LIBRARY(0x20);
	sampled.registers.rbp = FP;
	sampled_words(FP, 0, CODE(CALLER + 8));
	sampled_expect(TM_STOP_NO_TABLE, LIBRARY_EXACT(0x20), FRAME_CALL(CALLER + 8));
}

static void zero_above_unknown_code_does_not_end_the_stack(void **state)
{
	sampled_row(CALLER, RULE(SP, 16));
	sampled.registers.rip = LIBRARY(0x20);
	sampled.registers.rbp = FP;
	sampled_words(FP, 0, CODE(CALLER + 8), 0, 0);
	sampled_expect(TM_STOP_NO_TABLE, LIBRARY_EXACT(0x20), FRAME_CALL(CALLER + 8));
}

static void outermost_frame_above_unknown_code_is_complete(void **state)
{
	sampled_row(CALLER, RULE_END);
	sampled.registers.rip = LIBRARY(0x20);
	sampled.registers.rbp = FP;
	sampled_words(FP, 0, CODE(CALLER + 8));
	sampled_expect(TM_STOP_NONE, LIBRARY_EXACT(0x20), FRAME_CALL(CALLER + 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(chain_to_a_zero_is_complete),
		SAMPLED_TEST(zero_frame_pointer_in_the_leaf_is_no_chain),
		SAMPLED_TEST(zero_return_address_ends_the_chain),
		SAMPLED_TEST(unaligned_frame_pointer_breaks_the_chain),
		SAMPLED_TEST(frame_pointer_below_sp_breaks_the_chain),
		SAMPLED_TEST(frame_that_is_too_large_breaks_the_chain),
		SAMPLED_TEST(frame_pointer_off_the_stack_faults),
		SAMPLED_TEST(return_address_that_is_no_code_breaks_the_chain),
		SAMPLED_TEST(chain_to_the_initial_stack_is_complete),
		SAMPLED_TEST(chain_that_ends_below_the_initial_stack_breaks),
		SAMPLED_TEST(anonymous_code_is_walked_by_frame_pointer),
		SAMPLED_TEST(recursion_is_cut_at_the_depth_limit),
		SAMPLED_TEST(recursion_of_a_frame_less_than_the_limit_is_whole),
		SAMPLED_TEST(slow_stack_is_cut_for_time),
		SAMPLED_TEST(chain_from_unknown_code_is_followed),
		SAMPLED_TEST(broken_chain_from_unknown_code_stops_for_no_table),
		SAMPLED_TEST(fault_from_unknown_code_stops_for_no_table),
		SAMPLED_TEST(failing_rule_above_unknown_code_stops_for_no_table),
		SAMPLED_TEST(zero_above_unknown_code_does_not_end_the_stack),
		SAMPLED_TEST(outermost_frame_above_unknown_code_is_complete),
	};

	return SAMPLED_RUN(tests);
}
