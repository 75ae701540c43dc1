/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_python_interpreters - a thread runs two interpreters within one another: each loop has the
 * functions of its own one, and where that is not known a frame without a number
 */

#include "tests/unit/bpf/python_process.h"

static void choose(uint16_t entry, uint16_t flags, uint16_t chain_frame)
{
	sampled.runtime.python.entry = entry;
	sampled.runtime.python.flags = flags;
	sampled.runtime.python.chain_frame = chain_frame;
}

/* The places in the functions of the stack, innermost first; 0 ends them. Each has a number. */
static void expect_places(const uint64_t *places)
{
	unsigned count = 0;

	sampled_take();
	for (; places[count]; count++) {
		assert_int_equal(python_process_place(count), places[count]);
		assert_int_not_equal(python_process_number(count), 0);
	}
	assert_int_equal(python_process_methods(), count);
}

/* @inner: the state that has the frame 0, at 7, in the first loop; @outer: the frame 3, at 11. */
static void run(void (*inner)(uint64_t), void (*outer)(uint64_t))
{
	inner(PYTHON_FRAME(0));
	outer(PYTHON_FRAME(3));
	expect_places((uint64_t[]){7, 11, 0});
}

static void run_both_ways(void)
{
	run(python_process_runs, python_process_runs_another);
	run(python_process_runs_another, python_process_runs);
}

static void entry_frames(void)
{
	python_process_frame(0, FIRST_ENTRY, PYTHON_CODE(0), 7, 0);
	python_process_entry(FIRST_ENTRY, 0);
	python_process_frame(3, SECOND_ENTRY, PYTHON_CODE(1), 11, 0);
	python_process_entry(SECOND_ENTRY, 0);
}

static void entry_frame_on_the_stack_says_it(void **state)
{
	entry_frames();
	run_both_ways();
}

static void chain_on_the_stack_says_it(void **state)
{
	choose(TM_PYTHON_OWNER, TM_PYTHON_CHAIN, 8);
	entry_frames();
	python_process_chain(FIRST_CHAIN, PYTHON_FRAME(0), 0);
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(3), 0);
	python_process_runs(FIRST_CHAIN);
	python_process_runs_another(SECOND_CHAIN);
	expect_places((uint64_t[]){7, 11, 0});
	python_process_runs(SECOND_CHAIN);
	python_process_runs_another(FIRST_CHAIN);
	expect_places((uint64_t[]){7, 11, 0});
}

static void one_frame_each(void)
{
	choose(TM_PYTHON_ONE, TM_PYTHON_INDEX, TM_RUNTIME_NONE);
	python_process_frame(0, 0, PYTHON_CODE(0), 7, 0);
	python_process_frame(3, 0, PYTHON_CODE(1), 11, 0);
}

/* The chain and the frames are lists apart. */
static void chain_that_has_no_frames_says_it(void **state)
{
	one_frame_each();
	choose(TM_PYTHON_ONE, TM_PYTHON_INDEX | TM_PYTHON_CHAIN, TM_RUNTIME_NONE);
	sampled.runtime.python.thread_chain = 0x28;
	python_process_chain(FIRST_CHAIN, 0, 0);
	python_process_chain(SECOND_CHAIN, 0, 0);
	python_process_runs(PYTHON_FRAME(0));
	python_process_runs_another(PYTHON_FRAME(3));
	sampled_store(PYTHON_THREAD + 0x28, FIRST_CHAIN);
	sampled_store(PYTHON_ANOTHER + 0x28, SECOND_CHAIN);
	expect_places((uint64_t[]){7, 11, 0});
	python_process_runs_another(PYTHON_FRAME(0));
	python_process_runs(PYTHON_FRAME(3));
	sampled_store(PYTHON_THREAD + 0x28, SECOND_CHAIN);
	sampled_store(PYTHON_ANOTHER + 0x28, FIRST_CHAIN);
	expect_places((uint64_t[]){7, 11, 0});
}

static void pointer_on_the_stack_says_it(void **state)
{
	one_frame_each();
	sampled_store(FIRST_LOOP_SP + 0x40, PYTHON_FRAME(0));
	sampled_store(SECOND_LOOP_SP + 0x80, PYTHON_FRAME(3) + 0x168);
	run_both_ways();
}

/* The kinds of the frames: f, m, and p for one without a number. */
static void expect_order(const char *order)
{
	const struct tm_sample *sample = sampled_take();
	unsigned count = 0;

	for (; order[count]; count++) {
		uint64_t frame = sample->frames[count];

		assert_true(count < sample->user_frames);
		assert_int_equal(frame >> TM_FRAME_KIND_SHIFT,
				 order[count] == 'f' ? TM_FRAME_FILE : TM_FRAME_METHOD);
		if (order[count] == 'p')
			assert_int_equal(frame >> TM_FRAME_METHOD_SHIFT & TM_FRAME_METHOD_MAX, 0);
	}
	assert_int_equal(count, sample->user_frames);
}

static void pointers_to_both_or_neither_leave_it_open(void **state)
{
	one_frame_each();
	python_process_runs(PYTHON_FRAME(0));
	python_process_runs_another(PYTHON_FRAME(3));
	sampled_store(FIRST_LOOP_SP + 0x40, PYTHON_FRAME(0));
	sampled_store(SECOND_LOOP_SP + 0x40, PYTHON_FRAME(3) - 8);
	expect_order("fmffpff");
	sampled_store(FIRST_LOOP_SP + 0x48, PYTHON_FRAME(3));
	expect_order("fffpff");
}

/* What a thread runs in a state that another thread has made is not found. */
static void loop_of_no_known_interpreter_has_none_of_another(void **state)
{
	python_process_frame(0, FIRST_LOOP_SP - 0x40, PYTHON_CODE(0), 7, 0);
	python_process_entry(FIRST_LOOP_SP - 0x40, 0);
	python_process_runs(PYTHON_FRAME(0));
	expect_order("fffpff");
}

/* A list of functions up to an entry frame that is not on the stack. They overlap, so as to fit:
 * each one's place is the next one's address. */
static uint64_t many_frames(unsigned count)
{
	const uint64_t first = SAMPLED_DATA + 0x30000, entry = SAMPLED_DATA + 0x2000;

	for (unsigned i = 0; i < count; i++)
		sampled_words(first + 0x10 * i + 0x18,
			      i < count - 1 ? first + 0x10 * (i + 1) : entry, PYTHON_CODE(0));
	python_process_entry(entry, 0);
	return first;
}

static void functions_of_no_loop_are_taken_back(void **state)
{
	python_process_runs(many_frames(2000));
	expect_order("fffpff");
	assert_int_equal(sampled_take()->user_stop, TM_STOP_NONE);
}

static void walk_that_was_taken_back_too_often_is_cut(void **state)
{
	python_process_runs(many_frames(4000));
	python_process_runs_another(many_frames(4000));
	sampled_install();
	assert_int_equal(sampled_once()->user_stop, TM_STOP_DEPTH);
}

static void loop_that_has_not_begun_leaves_the_functions_to_its_caller(void **state)
{
	entry_frames();
	python_process_runs(PYTHON_FRAME(3));
	expect_order("fffmff");
}

static void state_that_runs_nothing_is_no_choice(void **state)
{
	entry_frames();
	python_process_entry(FIRST_ENTRY, PYTHON_FRAME(3));
	python_process_runs(PYTHON_FRAME(0));
	python_process_runs_another(0);
	expect_places((uint64_t[]){7, 11, 0});
}

static unsigned vain_reads;

static void note_vain_read(uint64_t address, uint32_t bytes)
{
	vain_reads += address == PYTHON_THREAD + TM_RUNTIME_NONE;
}

static void expect_no_vain_read(void)
{
	vain_reads = 0;
	bpf_host_before_read(note_vain_read);
	expect_places((uint64_t[]){7, 11, 0});
	bpf_host_before_read(NULL);
	assert_int_equal(vain_reads, 0);
}

static void chain_that_a_version_lacks_is_not_read(void **state)
{
	entry_frames();
	python_process_entry(FIRST_ENTRY, PYTHON_FRAME(3));
	python_process_runs(PYTHON_FRAME(0));
	sampled.runtime.python.thread_chain = TM_RUNTIME_NONE;
	expect_no_vain_read();
}

static void frame_that_a_version_lacks_is_not_read(void **state)
{
	choose(TM_PYTHON_OWNER, TM_PYTHON_CHAIN, 8);
	entry_frames();
	python_process_chain(FIRST_CHAIN, PYTHON_FRAME(0), SECOND_CHAIN);
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(3), 0);
	python_process_entry(FIRST_ENTRY, PYTHON_FRAME(3));
	python_process_runs(FIRST_CHAIN);
	sampled.runtime.python.thread_frame = TM_RUNTIME_NONE;
	expect_no_vain_read();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define PYTHON_TEST(name) cmocka_unit_test_setup(name, python_process_make)
		PYTHON_TEST(entry_frame_on_the_stack_says_it),
		PYTHON_TEST(chain_on_the_stack_says_it),
		PYTHON_TEST(chain_that_has_no_frames_says_it),
		PYTHON_TEST(pointer_on_the_stack_says_it),
		PYTHON_TEST(pointers_to_both_or_neither_leave_it_open),
		PYTHON_TEST(loop_of_no_known_interpreter_has_none_of_another),
		PYTHON_TEST(functions_of_no_loop_are_taken_back),
		PYTHON_TEST(walk_that_was_taken_back_too_often_is_cut),
		PYTHON_TEST(loop_that_has_not_begun_leaves_the_functions_to_its_caller),
		PYTHON_TEST(state_that_runs_nothing_is_no_choice),
		PYTHON_TEST(chain_that_a_version_lacks_is_not_read),
		PYTHON_TEST(frame_that_a_version_lacks_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
