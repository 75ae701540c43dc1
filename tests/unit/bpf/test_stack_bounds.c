/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_stack_bounds - which memory is the stack that a walk is on, and when it enters another one
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/sampled.h"

#define LOCKED 0x2000ul /* VM_LOCKED, include/linux/mm.h */
#define PAGE   0x1000ull
#define FAR    (SAMPLED_STACK + 0x20000) /* of the same stack */
#define OTHER  SAMPLED_DATA              /* another stack */

/* The caller's frame pointer and the return address lie where the frame pointer points; a frame
 * record if the offset is 16. */
#define RECORD(offset)                            \
	((struct tm_rule){.cfa = TM_CFA_FP,       \
			  .cfa_offset = (offset), \
			  .ra = TM_SAVED_CFA,     \
			  .ra_offset = -8,        \
			  .fp = TM_SAVED_CFA,     \
			  .fp_offset = -16})

/* The leaf's frame ends @bytes above its sp. */
static void leaf_frame(uint64_t sp, int32_t bytes)
{
	sampled_row(LEAF, RULE(SP, bytes));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = sp;
	sampled_store(sp + (uint64_t)bytes - 8, CODE(START + 8));
}

static void expect_started(void)
{
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(START + 8));
}

static void map_stack(uint64_t start, uint64_t bytes, uint64_t flags)
{
	sampled_map(start, bytes, flags, SAMPLED_ANONYMOUS, 0);
}

/* --- the extent of a stack -------------------------------------------------------------------- */

/* As madvise, mlock and mbind split it: sp in the first part, the return address in the last. */
static void split_stack_is_one(void **state)
{
	for (unsigned parts = 2; parts <= 9; parts++) {
		(void)sampled_make(state);
		for (unsigned i = 0; i < parts - 1; i++)
			map_stack(SAMPLED_STACK + i * PAGE, PAGE,
				  VM_READ | VM_WRITE | (i & 1 ? LOCKED : 0));
		map_stack(SAMPLED_STACK + (parts - 1) * PAGE,
			  SAMPLED_STACK_BYTES - (parts - 1) * PAGE, VM_READ | VM_WRITE | LOCKED);
		leaf_frame(SAMPLED_STACK + 0x100, (int32_t)((parts - 1) * PAGE + 0x100));
		expect_started();
	}
}

/* A row may read below the leaf's sp, and the next part may lie there. */
static void part_below_the_leaf_is_of_the_stack(void **state)
{
	map_stack(SAMPLED_STACK, PAGE, VM_READ | VM_WRITE);
	map_stack(SAMPLED_STACK + PAGE, SAMPLED_STACK_BYTES - PAGE, VM_READ | VM_WRITE | LOCKED);
	sampled_row(LEAF, (struct tm_rule){.cfa = TM_CFA_SP,
					   .cfa_offset = 16,
					   .ra = TM_SAVED_CFA,
					   .ra_offset = -8,
					   .fp = TM_SAVED_SP,
					   .fp_offset = -8});
	sampled_row(CALLER, RULE(FP, 16));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = SAMPLED_STACK + PAGE;
	sampled_words(SAMPLED_STACK + PAGE - 8, FAR, 0, CODE(CALLER + 8));
	sampled_store(FAR + 8, CODE(START + 8));
	sampled_expect_whole();
}

static void memory_behind_a_gap_is_not_of_the_stack(void **state)
{
	map_stack(SAMPLED_STACK, PAGE, VM_READ | VM_WRITE);
	map_stack(SAMPLED_STACK + 2 * PAGE, SAMPLED_STACK_BYTES - 2 * PAGE, VM_READ | VM_WRITE);
	leaf_frame(SAMPLED_STACK, 0x2100);
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

/* The mapping that touches the stack, and the one that has the leaf's sp. */
static void memory_of_other_kinds_is_not_of_the_stack(void **state)
{
	static const uint64_t flags[] = {0,
					 VM_READ,
					 VM_WRITE,
					 VM_READ | VM_EXEC,
					 VM_READ | VM_WRITE | VM_EXEC,
					 VM_READ | VM_WRITE | VM_IO,
					 VM_READ | VM_WRITE | VM_PFNMAP};

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		for (unsigned leaf = 0; leaf < 2; leaf++) {
			(void)sampled_make(state);
			sampled.start_stack = SAMPLED_DATA;
			map_stack(SAMPLED_STACK, PAGE, leaf ? flags[i] : VM_READ | VM_WRITE);
			map_stack(SAMPLED_STACK + PAGE, SAMPLED_STACK_BYTES - PAGE,
				  leaf ? VM_READ | VM_WRITE : flags[i]);
			leaf_frame(SAMPLED_STACK + 0x100, 0x1000);
			sampled_expect_leaf(TM_STOP_STACK_FAULT);
		}
}

/* The initial stack's flag decides: with it, all stacks of the process are executable. */
static void executable_stack_where_the_initial_one_is(void **state)
{
	map_stack(OTHER, SAMPLED_BYTES, VM_READ | VM_WRITE | VM_EXEC);
	leaf_frame(OTHER + 0x100, 0x100);
	sampled_expect_leaf(TM_STOP_STACK_FAULT);

	(void)sampled_make(state);
	sampled.start_stack = SAMPLED_STACK + 0x100;
	map_stack(SAMPLED_STACK, SAMPLED_STACK_BYTES, VM_READ | VM_WRITE | VM_EXEC | VM_GROWSDOWN);
	map_stack(OTHER, SAMPLED_BYTES, VM_READ | VM_WRITE | VM_EXEC);
	leaf_frame(OTHER + 0x100, 0x100);
	expect_started();
}

/* Between `sub rsp` and the first touch, sp lies below the initial stack. */
static void sp_below_the_initial_stack_is_of_it(void **state)
{
	sampled.start_stack = SAMPLED_STACK + 0x100;
	sampled_row(LEAF, RULE(SP, 0x100010));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = SAMPLED_STACK - 0x100000;
	sampled_store(SAMPLED_STACK + 8, CODE(START + 8));
	expect_started();
}

static void sp_elsewhere_is_not_of_the_initial_stack(void **state)
{
	static const uint64_t flags[] = {VM_READ | VM_WRITE, VM_READ | VM_WRITE | VM_GROWSDOWN};
	static const uint64_t sps[] = {SAMPLED_STACK - PAGE,
				       SAMPLED_STACK + SAMPLED_STACK_BYTES + PAGE};

	for (unsigned i = 0; i < 2; i++) { /* below one that does not grow, above one that does */
		(void)sampled_make(state);
		sampled.start_stack = SAMPLED_STACK + 0x100;
		map_stack(SAMPLED_STACK, SAMPLED_STACK_BYTES, flags[i]);
		sampled_row(LEAF, RULE(SP, (int32_t)(SAMPLED_STACK - sps[i] + 16)));
		sampled_row(START, RULE_END);
		sampled.registers.rsp = sps[i];
		sampled_store(SAMPLED_STACK + 8, CODE(START + 8));
		sampled_expect_leaf(TM_STOP_STACK_FAULT);
	}
}

/* More stacks than the cache has: each is found, again and again, and again once it has changed. */
static void stacks_of_many_threads(void **state)
{
	for (unsigned i = 0; i < 12; i++)
		map_stack(SAMPLED_STACK + 2 * i * PAGE, PAGE, VM_READ | VM_WRITE);
	map_stack(SAMPLED_STACK + 24 * PAGE, PAGE, VM_READ | VM_WRITE);
	sampled_row(LEAF, RULE(SP, 0x100));
	sampled_row(START, RULE_END);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 12; i++) {
			sampled.registers.rsp = SAMPLED_STACK + 2 * i * PAGE;
			sampled_store(sampled.registers.rsp + 0xf8, CODE(START + 8));
			expect_started();
		}
	map_stack(SAMPLED_STACK + 22 * PAGE, PAGE, VM_READ);
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

/* --- other stacks ----------------------------------------------------------------------------- */

/* The frames of @stacks stacks, each left by a frame record. */
static void records(unsigned stacks)
{
	sampled_row(LEAF, RECORD(16));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = SAMPLED_STACK;
	sampled.registers.rbp = SAMPLED_STACK + 0x10;
	for (unsigned i = 0; i < stacks; i++) {
		uint64_t here = SAMPLED_STACK + 2ull * i * PAGE;

		map_stack(here, PAGE, VM_READ | VM_WRITE);
		sampled_words(here + 0x10, here + 2 * PAGE + 0x10,
			      CODE(i + 1 < stacks ? LEAF + 8 : START + 8));
	}
	sampled_unmap(SAMPLED_STACK + 2ull * stacks * PAGE);
}

static void frame_records_lead_through_many_stacks(void **state)
{
	uint64_t expected[12] = {FRAME_EXACT(LEAF)};

	for (unsigned stacks = 1; stacks <= 11; stacks++) {
		/* it begins on one, and enters eight more */
		unsigned frames = stacks <= 9 ? stacks + 1 : 10;

		(void)sampled_make(state);
		records(stacks);
		for (unsigned i = 1; i < frames; i++)
			expected[i] = FRAME_CALL(i < stacks ? LEAF + 8 : START + 8);
		sampled_expect_at(__FILE__, __LINE__,
				  stacks <= 9 ? TM_STOP_NONE : TM_STOP_STACK_FAULT, expected,
				  frames);
	}
}

static void frame_record_in_memory_that_is_no_stack_stops(void **state)
{
	static const uint64_t flags[] = {0, VM_READ, VM_READ | VM_EXEC,
					 VM_READ | VM_WRITE | VM_EXEC, VM_READ | VM_WRITE | VM_IO};

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		(void)sampled_make(state);
		map_stack(OTHER, SAMPLED_BYTES, flags[i]);
		sampled_row(LEAF, RECORD(16));
		sampled_row(START, RULE_END);
		sampled.registers.rbp = OTHER;
		sampled_words(OTHER, 0, CODE(START + 8));
		sampled_expect_leaf(TM_STOP_STACK_FAULT);
	}
}

/* Other frames that the frame pointer leads to are looked for on this stack. */
static void frame_that_is_no_record_is_on_this_stack(void **state)
{
	sampled_row(LEAF, RECORD(24));
	sampled_row(START, RULE_END);
	sampled.registers.rbp = OTHER;
	sampled_words(OTHER, 0, 0, CODE(START + 8));
	sampled_expect_leaf(TM_STOP_STACK_FAULT);
}

/* The record's next frame is on the stack that was entered. */
static void stack_that_was_entered_is_the_walks(void **state)
{
	sampled_row(LEAF, RECORD(16));
	sampled_row(CALLER, RULE(SP, 0x100));
	sampled_row(START, RULE_END);
	sampled.registers.rbp = OTHER;
	sampled_words(OTHER, 0, CODE(CALLER + 8));
	sampled_store(OTHER + 16 + 0xf8, CODE(START + 8));
	sampled_expect_whole();
}

static struct tm_rule context_rule(void)
{
	return (struct tm_rule){.cfa = TM_CFA_REGISTER,
				.base = RDX,
				.ra = TM_SAVED_CFA,
				.ra_offset = 168,
				.fp = TM_SAVED_CFA,
				.fp_offset = 120,
				.flags = TM_RULE_SP_LOST};
}

/* glibc's setcontext: what it goes to is in a structure, and the frame pointer is of its stack. */
static void context_leads_to_its_stack(void **state)
{
	sampled_row(LEAF, context_rule());
	sampled_row(CALLER, RECORD(16));
	sampled_row(START, RULE_END);
	sampled.registers.rdx = OTHER;
	sampled_store(OTHER + 168, CODE(CALLER + 8));
	sampled_store(OTHER + 120, FAR);
	sampled_words(FAR, 0, CODE(START + 8));
	sampled_expect_whole();
}

static void context_of_another_form_stops(void **state)
{
	struct tm_rule rules[5];

	for (unsigned i = 0; i < 5; i++)
		rules[i] = context_rule();
	rules[0].base = RCX;
	rules[1].ra_offset = 160;
	rules[2].fp_offset = 128;
	rules[3].cfa_offset = 8;
	rules[4].flags = 0;
	for (unsigned i = 0; i < 5; i++) {
		(void)sampled_make(state);
		sampled_row(LEAF, rules[i]);
		sampled_row(START, RULE_END);
		sampled.registers.rdx = sampled.registers.rcx = OTHER;
		for (uint64_t at = 0; at < 256; at += 8)
			sampled_store(OTHER + at, CODE(START + 8));
		sampled_expect_leaf(TM_STOP_STACK_FAULT);
	}
}

/* As a caller, whose rdx is not its own. */
static void context_of_a_caller_stops(void **state)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, context_rule());
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP, CODE(CALLER + 8));
	sampled.registers.rdx = OTHER;
	sampled_store(OTHER + 168, CODE(START + 8));
	sampled_expect_caller(TM_STOP_STACK_FAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(split_stack_is_one),
		SAMPLED_TEST(part_below_the_leaf_is_of_the_stack),
		SAMPLED_TEST(memory_behind_a_gap_is_not_of_the_stack),
		SAMPLED_TEST(memory_of_other_kinds_is_not_of_the_stack),
		SAMPLED_TEST(executable_stack_where_the_initial_one_is),
		SAMPLED_TEST(sp_below_the_initial_stack_is_of_it),
		SAMPLED_TEST(sp_elsewhere_is_not_of_the_initial_stack),
		SAMPLED_TEST(stacks_of_many_threads),
		SAMPLED_TEST(frame_records_lead_through_many_stacks),
		SAMPLED_TEST(frame_record_in_memory_that_is_no_stack_stops),
		SAMPLED_TEST(frame_that_is_no_record_is_on_this_stack),
		SAMPLED_TEST(stack_that_was_entered_is_the_walks),
		SAMPLED_TEST(context_leads_to_its_stack),
		SAMPLED_TEST(context_of_another_form_stops),
		SAMPLED_TEST(context_of_a_caller_stops),
	};

	return SAMPLED_RUN(tests);
}
