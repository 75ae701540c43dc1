/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_sample_limits - how long a sample may take, and how many files it may announce
 */

#include "tests/unit/bpf/sampled.h"

#define US           1000ull
#define FRAMES       400u /* of a chain of frame pointers, 16 bytes each */
#define CLOCK_FRAMES 16u  /* between two readings of the clock */
#define FREE         16u  /* frames that are walked however long they take */
#define JITS         24u

/* The leaf is at the first address, and called from the others by frame pointers. */
static void chain_through(const uint64_t *code, unsigned count)
{
	sampled.registers.rip = code[0];
	sampled.registers.rbp = SAMPLED_SP;
	for (unsigned i = 1; i < count; i++)
		sampled_words(SAMPLED_SP + 16ull * (i - 1), SAMPLED_SP + 16ull * i, code[i] + 8);
	sampled_words(SAMPLED_SP + 16ull * (count - 1), 0, 0);
}

/* All in anonymous code: in a file without a table no frame pointer is followed to its end. */
static void deep_recursion(void)
{
	uint64_t code[FRAMES];

	for (unsigned i = 0; i < FRAMES; i++)
		code[i] = SAMPLED_JIT + 0x100;
	chain_through(code, FRAMES);
}

static void expect_frames(enum tm_stop stop, unsigned least, unsigned most)
{
	const struct tm_sample *sample = sampled_once();

	assert_int_equal(sample->user_stop, stop);
	assert_in_range(sample->user_frames, least, most);
}

/* --- time ------------------------------------------------------------------------------------- */

static void walk_takes_a_quarter_of_the_period(void **state)
{
	deep_recursion();
	bpf_host_clock(US);
	sampled.period = 10000 * US;
	expect_frames(TM_STOP_NONE, FRAMES, FRAMES);
	sampled.period = 40 * US;
	expect_frames(TM_STOP_TIME, 4 * CLOCK_FRAMES, 11 * CLOCK_FRAMES);
}

static void longer_period_of_the_cpu_applies(void **state)
{
	deep_recursion();
	bpf_host_clock(US);
	sampled.period = 40 * US;
	bpf_maps_slot()->weight_ns = 4 * sampled.period * 8;
	expect_frames(TM_STOP_NONE, FRAMES, FRAMES);
}

static void walk_takes_a_millisecond_at_most(void **state)
{
	deep_recursion();
	bpf_host_clock(100 * US);
	sampled.period = TM_NS_PER_SECOND;
	expect_frames(TM_STOP_TIME, 4 * CLOCK_FRAMES, 11 * CLOCK_FRAMES);
}

/* Each frame costs a lookup: then the clock is read for each. */
static void each_lookup_reads_the_clock(void **state)
{
	uint64_t code[JITS];

	for (unsigned i = 0; i < JITS; i++) {
		code[i] = SAMPLED_JIT + 0x100000ull * (i + 1);
		sampled_map(code[i], 0x1000, 0x4 /* VM_EXEC */, SAMPLED_ANONYMOUS, 0);
		code[i] += 0x100;
	}
	chain_through(code, JITS);
	bpf_host_clock(10 * US);
	sampled.period = 120 * US;
	expect_frames(TM_STOP_TIME, FREE, FREE + 4);
}

static void short_stack_is_whole_however_slow_the_cpu_is(void **state)
{
	uint64_t code[FREE - 1];

	for (unsigned i = 0; i < FREE - 1; i++)
		code[i] = SAMPLED_JIT + 0x100;
	chain_through(code, FREE - 1);
	bpf_host_clock(TM_NS_PER_SECOND);
	expect_frames(TM_STOP_NONE, FREE - 1, FREE - 1);
}

/* --- announcements ---------------------------------------------------------------------------- */

static void three_files(void)
{
	const uint64_t code[] = {CODE(LEAF), SAMPLED_LIBRARY + 0x100, SAMPLED_DATA + 0x100};

	sampled_map(SAMPLED_DATA, SAMPLED_BYTES, 0x4 /* VM_EXEC */, SAMPLED_DUMP_FILE, 0);
	chain_through(code, 3);
}

static void third_file_is_announced_by_the_next_sample(void **state)
{
	three_files();
	expect_frames(TM_STOP_NO_TABLE, 3, 3);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2);
	expect_frames(TM_STOP_NO_TABLE, 3, 3);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 3);
	expect_frames(TM_STOP_NO_TABLE, 3, 3);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 3);
}

/* Its frame is the same, with the number that the record gives a name to. */
static void file_has_its_number_before_it_is_announced(void **state)
{
	uint64_t first;

	three_files();
	first = sampled_once()->frames[2];
	assert_true(first >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE);
	assert_int_equal(sampled_once()->frames[2], first);
	assert_int_equal(first >> TM_FRAME_FILE_SHIFT & TM_FRAME_FILE_MAX,
			 bpf_maps_announced_file()->number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(walk_takes_a_quarter_of_the_period),
		SAMPLED_TEST(longer_period_of_the_cpu_applies),
		SAMPLED_TEST(walk_takes_a_millisecond_at_most),
		SAMPLED_TEST(each_lookup_reads_the_clock),
		SAMPLED_TEST(short_stack_is_whole_however_slow_the_cpu_is),
		SAMPLED_TEST(third_file_is_announced_by_the_next_sample),
		SAMPLED_TEST(file_has_its_number_before_it_is_announced),
	};

	return SAMPLED_RUN(tests);
}
