/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_user_stack - the user stack is read in blocks, and its words do not depend on the blocks'
 * boundaries
 */

#include "tests/unit/bpf/sampled.h"

#define PAGE 4096u
/* The end of readable memory: reading from here on faults. */
#define END (SAMPLED_STACK + SAMPLED_STACK_BYTES)

/*
 * @count frames of @bytes each above @sp, each with a return address of its own; the last one's
 * caller is the outermost frame. The expected frames, the leaf first, are at @ret_frames.
 */
static void frames(uint64_t sp, unsigned count, unsigned bytes, uint64_t *ret_frames)
{
	sampled_row(LEAF, RULE(SP, (int32_t)bytes));
	sampled_row(START, RULE_END);
	sampled.registers.rsp = sp;
	ret_frames[0] = FRAME_EXACT(LEAF);
	for (unsigned i = 1; i <= count; i++) {
		uint64_t offset = i < count ? LEAF + 1 + i % 1000 : START + 8;

		ret_frames[i] = FRAME_CALL(offset);
		sampled_store(sp + (uint64_t)i * bytes - 8, CODE(offset));
	}
}

static void expect_frames(enum tm_stop stop, const uint64_t *expected, unsigned count)
{
	sampled_expect_at(__FILE__, __LINE__, stop, expected, count);
}

/* Frames of every size up to more than a block, beginning everywhere around the end of a page. */
static void frames_across_page_ends(void **state)
{
	uint64_t expected[41];

	for (unsigned bytes = 8; bytes < 700; bytes += 24)
		for (uint64_t below = 0; below <= 64; below += 8) {
			(void)sampled_make(state);
			frames(SAMPLED_STACK + 2 * PAGE - below, 40, bytes, expected);
			expect_frames(TM_STOP_NONE, expected, 41);
		}
}

static void frame_larger_than_every_block(void **state)
{
	uint64_t expected[9];

	frames(SAMPLED_SP, 8, 3 * PAGE + 16, expected);
	expect_frames(TM_STOP_NONE, expected, 9);
}

/* The next page is not mapped. The words before it are read all the same, up to the last one. */
static void stack_up_to_the_end_of_readable_memory(void **state)
{
	uint64_t expected[31];

	for (unsigned count = 1; count <= 30; count++) {
		(void)sampled_make(state);
		frames(END - 24ull * count, count, 24, expected);
		expect_frames(TM_STOP_NONE, expected, count + 1);
	}
}

static void stack_beyond_the_end_of_readable_memory_faults(void **state)
{
	uint64_t expected[31];

	frames(END - 30 * 24, 30, 24, expected);
	sampled.registers.rsp += 24;
	sampled_store(
		END - 8,
		CODE(LEAF + 20)); /* not the outermost frame: its caller's frame is not mapped */
	expected[29] = FRAME_CALL(LEAF + 20);
	for (unsigned i = 1; i < 29; i++)
		expected[i] = FRAME_CALL(LEAF + 2 + i);
	expect_frames(TM_STOP_STACK_FAULT, expected, 30);
}

/* Unaligned words are read one by one; the block that was read before stays valid. */
static void unaligned_stack(void **state)
{
	uint64_t expected[21];

	frames(SAMPLED_SP + 3, 20, 40, expected);
	expect_frames(TM_STOP_NONE, expected, 21);
}

/* One block has both aligned and unaligned words. */
static void frames_of_odd_sizes(void **state)
{
	static const unsigned sizes[] = {9, 12, 20, 33};
	uint64_t expected[21];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		(void)sampled_make(state);
		frames(SAMPLED_SP, 20, sizes[i], expected);
		expect_frames(TM_STOP_NONE, expected, 21);
	}
}

static void unaligned_word_across_a_page_end(void **state)
{
	uint64_t expected[6];

	frames(SAMPLED_STACK + 2 * PAGE - 36, 5, 40, expected);
	expect_frames(TM_STOP_NONE, expected, 6);
}

/* A rule may read below what was read before. */
static void word_below_the_block(void **state)
{
	sampled_row(LEAF, (struct tm_rule){.cfa = TM_CFA_SP,
					   .cfa_offset = 0x80,
					   .ra = TM_SAVED_CFA,
					   .ra_offset = -8,
					   .fp = TM_SAVED_SP,
					   .fp_offset = 8});
	sampled_row(0x2000, RULE(FP, 16));
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP + 0x78, CODE(0x2008));
	sampled_store(SAMPLED_SP + 8, SAMPLED_SP + 0x40);
	sampled_store(SAMPLED_SP + 0x48, CODE(START + 8));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(0x2008), FRAME_CALL(START + 8));
}

/* Blocks double up to their largest size: 300 frames of 16 bytes take few reads. */
static void adjacent_frames_share_a_read(void **state)
{
	uint64_t expected[301];
	unsigned before;

	frames(SAMPLED_STACK, 300, 16, expected);
	sampled_install();
	before = bpf_host_reads();
	expect_frames(TM_STOP_NONE, expected, 301);
	assert_in_range(bpf_host_reads() - before, 2, 20); /* by both programs */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(frames_across_page_ends),
		SAMPLED_TEST(frame_larger_than_every_block),
		SAMPLED_TEST(stack_up_to_the_end_of_readable_memory),
		SAMPLED_TEST(stack_beyond_the_end_of_readable_memory_faults),
		SAMPLED_TEST(unaligned_stack),
		SAMPLED_TEST(frames_of_odd_sizes),
		SAMPLED_TEST(unaligned_word_across_a_page_end),
		SAMPLED_TEST(word_below_the_block),
		SAMPLED_TEST(adjacent_frames_share_a_read),
	};

	return SAMPLED_RUN(tests);
}
