/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_python - CPython's functions stand where the loop that runs them does, whatever its version;
 * what is not one of its structures ends their walk and not that of the stack
 */

#include <string.h>

#include "tests/unit/bpf/python_process.h"

#define FILE_NUMBER ((uint64_t)TM_FRAME_FILE_MAX << TM_FRAME_FILE_SHIFT)

/* The stack without its METHOD frames. */
static void expect_native_frames(void)
{
	const uint64_t expected[] = {FRAME_EXACT(LEAF), FRAME_CALL(CALLER + 8),
				     FRAME_CALL(SECOND + 8), FRAME_CALL(SECOND_LOOP),
				     FRAME_CALL(START + 8)};
	const struct tm_sample *sample = bpf_maps_sample();
	unsigned met = 0;

	assert_int_equal(sample->user_stop, TM_STOP_NONE);
	for (unsigned i = 0; i < sample->user_frames; i++) {
		if (sample->frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD)
			continue;
		assert_true(met < 5);
		assert_int_equal(sample->frames[i] & ~FILE_NUMBER, expected[met]);
		met++;
	}
	assert_int_equal(met, 5);
}

/* The kinds of the frames, a letter each: f, m, and p for one without a number. */
static void expect_order(const char *order)
{
	const struct tm_sample *sample = sampled_take();
	unsigned count = 0;

	for (; order[count]; count++) {
		assert_true(count < sample->user_frames);
		assert_int_equal(sample->frames[count] >> TM_FRAME_KIND_SHIFT,
				 order[count] == 'f' ? TM_FRAME_FILE : TM_FRAME_METHOD);
		if (order[count] == 'p')
			assert_int_equal(sample->frames[count] >> TM_FRAME_METHOD_SHIFT &
						 TM_FRAME_METHOD_MAX,
					 0);
	}
	assert_int_equal(count, sample->user_frames);
	expect_native_frames();
}

/* @entry: enum tm_python_entry */
static void choose(uint16_t entry, uint16_t flags)
{
	sampled.runtime.python.entry = entry;
	sampled.runtime.python.flags = flags;
}

/* Two functions in the first loop, one in the second; each loop's last frame is its entry. */
static void owned_frames(void)
{
	python_process_frame(0, PYTHON_FRAME(1), PYTHON_CODE(0), 7, 0);
	python_process_frame(1, FIRST_ENTRY, PYTHON_CODE(1), 9, 0);
	python_process_entry(FIRST_ENTRY, PYTHON_FRAME(3));
	python_process_frame(3, SECOND_ENTRY, PYTHON_CODE(1), 11, 0);
	python_process_entry(SECOND_ENTRY, 0);
}

static void expect_functions(void)
{
	expect_order("fmmffmff");
	assert_int_not_equal(python_process_number(0), 0);
	assert_int_not_equal(python_process_number(0), python_process_number(1));
	assert_int_equal(python_process_number(1), python_process_number(2));
	assert_int_equal(python_process_place(0), 7);
	assert_int_equal(python_process_place(1), 9);
	assert_int_equal(python_process_place(2), 11);
}

static void functions_up_to_an_entry_of_the_stack(void **state)
{
	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	expect_functions();
}

static void functions_of_the_chain_on_the_stack(void **state)
{
	choose(TM_PYTHON_OWNER, TM_PYTHON_CHAIN);
	owned_frames();
	python_process_chain(FIRST_CHAIN, PYTHON_FRAME(0), SECOND_CHAIN);
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(3), 0);
	python_process_runs(FIRST_CHAIN);
	expect_functions();
}

static void functions_up_to_the_one_with_a_flag(void **state)
{
	choose(TM_PYTHON_FLAG, TM_PYTHON_CHAIN);
	python_process_frame(0, PYTHON_FRAME(1), PYTHON_CODE(0), 7, 0);
	python_process_frame(1, PYTHON_FRAME(2), PYTHON_CODE(1), 9, 1);
	python_process_frame(2, 0, PYTHON_CODE(1), 11, 1);
	python_process_chain(FIRST_CHAIN, PYTHON_FRAME(0), SECOND_CHAIN);
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(2), 0);
	python_process_runs(FIRST_CHAIN);
	expect_functions();
}

static void one_function_for_each_loop(void **state)
{
	choose(TM_PYTHON_ONE, TM_PYTHON_INDEX);
	python_process_frame(0, PYTHON_FRAME(1), PYTHON_CODE(0), 7, 0);
	python_process_frame(1, 0, PYTHON_CODE(1), 9, 0);
	python_process_runs(PYTHON_FRAME(0));
	expect_order("fmffmff");
	assert_int_equal(python_process_place(0), 7);
	assert_int_equal(python_process_place(1), 9);
}

/* The leaf's loop has not begun: the list has the function of the other one. */
static void lack_of_a_function_is_marked_at_the_last_loop(void **state)
{
	const uint16_t flags[] = {TM_PYTHON_INDEX, TM_PYTHON_INDEX | TM_PYTHON_CHAIN};

	choose(TM_PYTHON_ONE, TM_PYTHON_INDEX);
	python_process_frame(1, 0, PYTHON_CODE(1), 9, 0);
	python_process_runs(PYTHON_FRAME(1));
	sampled.runtime.python.chain_frame = TM_RUNTIME_NONE;
	sampled.runtime.python.thread_chain = 0x28;
	for (unsigned i = 0; i < 2; i++) {
		choose(TM_PYTHON_ONE, flags[i]);
		expect_order("fmffmff");
		assert_int_equal(python_process_place(0), 9);
		assert_int_equal(python_process_number(1), 0);
		assert_int_equal(python_process_place(1), TM_RUNTIME_PLACE_LATE);
	}
}

/* The same: its place in the chain has what was there before. */
static void functions_that_do_not_go_on_as_the_chain_are_none_of_the_first_loop(void **state)
{
	choose(TM_PYTHON_OWNER, TM_PYTHON_CHAIN);
	owned_frames();
	python_process_chain(FIRST_CHAIN, PYTHON_FRAME(3), SECOND_CHAIN);
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(3), 0);
	python_process_runs(FIRST_CHAIN);
	expect_order("fffmff");
}

/* The leaf's loop has not begun: the chain is that of the other one. */
static void loop_without_a_chain_of_its_own_has_no_functions(void **state)
{
	choose(TM_PYTHON_OWNER, TM_PYTHON_CHAIN);
	owned_frames();
	python_process_chain(SECOND_CHAIN, PYTHON_FRAME(3), 0);
	python_process_runs(SECOND_CHAIN);
	expect_order("fffmff");
}

static void function_that_has_not_begun_is_at_its_start(void **state)
{
	owned_frames();
	python_process_frame(0, PYTHON_FRAME(1), PYTHON_CODE(0), (uint64_t)-1, 0);
	python_process_runs(PYTHON_FRAME(0));
	sampled_take();
	assert_int_equal(python_process_place(0), 0);
}

static void place_beyond_the_last_is_not_known(void **state)
{
	owned_frames();
	python_process_frame(0, PYTHON_FRAME(1), PYTHON_CODE(0), 1u << 20, 0);
	python_process_runs(PYTHON_FRAME(0));
	sampled_take();
	assert_int_equal(python_process_place(0), TM_FRAME_PLACE_MAX);
}

static void thread_of_another_number_has_no_functions(void **state)
{
	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	sampled.thread_pointer = PYTHON_POINTER + 8;
	expect_order("fffff");
}

/* Its memory may still say what it said. */
static void thread_that_no_list_has_any_more_has_no_functions(void **state)
{
	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	expect_functions();
	sampled_store(PYTHON_OTHER + 8, 0);
	expect_order("fffff");
}

/* What it was points to itself now. */
static void thread_with_a_new_state_is_found_again(void **state)
{
	const uint64_t interpreter = SAMPLED_DATA + 0x800, fresh = SAMPLED_DATA + 0x1200;

	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	expect_functions();
	sampled_words(PYTHON_THREAD, PYTHON_THREAD, 0x20, PYTHON_THREAD);
	sampled_store(PYTHON_OTHER + 8, fresh);
	sampled_words(fresh, PYTHON_OTHER, 0, interpreter, PYTHON_POINTER, PYTHON_FRAME(0));
	expect_functions();
}

static void thread_behind_many_others_is_found_by_a_later_sample(void **state)
{
	const uint64_t others = SAMPLED_DATA + 0x30000;

	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	for (uint64_t i = 0; i < 200; i++)
		sampled_words(others + 0x20 * i, i ? others + 0x20 * (i - 1) : PYTHON_OTHER,
			      i < 199 ? others + 0x20 * (i + 1) : PYTHON_THREAD,
			      SAMPLED_DATA + 0x800, i);
	sampled_store(PYTHON_OTHER + 8, others);
	sampled_store(PYTHON_THREAD, others + 0x20 * 199);
	sampled_install();
	sampled_once();
	assert_int_equal(python_process_methods(), 0);
	for (int i = 0; i < 4; i++)
		sampled_once();
	assert_int_equal(python_process_methods(), 3);
}

/* The first sample ends between two of them. */
static void state_in_a_far_interpreter_is_found_by_a_later_sample(void **state)
{
	const uint64_t others = SAMPLED_DATA + 0x30000, last = SAMPLED_DATA + 0x800;

	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t other = others + 0x100 * i;

		sampled_words(other, i < 39 ? other + 0x100 : last, 0, other + 0x40);
		sampled_words(other + 0x40, 0, 0, other, i);
	}
	sampled_store(PYTHON_RUNTIME + 0x28, others);
	sampled_install();
	sampled_once();
	assert_int_equal(python_process_methods(), 0);
	sampled_once();
	assert_int_equal(python_process_methods(), 3);
}

static void frames_in_a_ring_end_at_the_depth_of_the_stack(void **state)
{
	python_process_frame(0, PYTHON_FRAME(0), PYTHON_CODE(0), 7, 0);
	python_process_runs(PYTHON_FRAME(0));
	sampled_install();
	assert_int_equal(sampled_once()->user_stop, TM_STOP_DEPTH);
	assert_int_equal(bpf_maps_sample()->user_frames, TM_USER_FRAMES_MAX);
}

static void frame_that_is_not_in_memory_ends_those_of_its_loop(void **state)
{
	owned_frames();
	python_process_frame(1, 0x666000, PYTHON_CODE(1), 9, 0);
	python_process_runs(PYTHON_FRAME(0));
	expect_order("fmmffff");
}

static void function_without_a_code_object_has_no_number(void **state)
{
	owned_frames();
	python_process_frame(0, PYTHON_FRAME(1), 0x666000, 7, 0);
	python_process_runs(PYTHON_FRAME(0));
	expect_order("fmmffmff");
	assert_int_equal(python_process_number(0), 0);
	assert_int_not_equal(python_process_number(1), 0);
}

/* frame_copy 0 is the function's own. */
static void place_in_a_copy_of_the_code(void **state)
{
	const uint64_t copies = SAMPLED_DATA + 0x30000, copy = SAMPLED_DATA + 0x31000;

	sampled.runtime.python.frame_copy = 0x30;
	sampled.runtime.python.code_copies = 0x68;
	owned_frames();
	sampled_store(PYTHON_FRAME(0) + 0x28, copy + 2 * 13);
	sampled_store(PYTHON_FRAME(0) + 0x30, 0x7700000002);
	sampled_store(PYTHON_CODE(0) + 0x68, copies);
	sampled_words(copies, 3, PYTHON_CODE(0) + 0x80, 0, copy);
	python_process_runs(PYTHON_FRAME(0));
	sampled_take();
	assert_int_equal(python_process_place(0), 13);
	assert_int_equal(python_process_place(1), 9);
}

/* The leaf and SECOND are such functions; the second loop runs nothing that is known. */
static void function_for_an_instruction_is_left_out(void **state)
{
	const struct tm_sample *sample;

	choose(TM_PYTHON_OWNER, TM_PYTHON_CALLS);
	owned_frames();
	python_process_entry(FIRST_ENTRY, 0);
	python_process_runs(PYTHON_FRAME(0));
	sample = sampled_take();
	assert_int_equal(sample->user_frames, 7);
	assert_int_equal(sample->frames[2] & ~FILE_NUMBER, FRAME_CALL(CALLER + 8));
	assert_int_equal(sample->frames[3] & ~FILE_NUMBER, FRAME_CALL(SECOND + 8));
	assert_int_equal(sample->frames[4] >> TM_FRAME_KIND_SHIFT, TM_FRAME_METHOD);
	assert_int_equal(sample->frames[5] & ~FILE_NUMBER, FRAME_CALL(SECOND_LOOP));
	assert_int_equal(python_process_methods(), 3);
}

/* Whatever the description says: the native stack is what it was. */
static void false_description_changes_no_native_frame(void **state)
{
	owned_frames();
	python_process_runs(PYTHON_FRAME(0));
	memset(&sampled.runtime.python, 0xff, sizeof(sampled.runtime.python));
	expect_order("fffff");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define PYTHON_TEST(name) cmocka_unit_test_setup(name, python_process_make)
		PYTHON_TEST(functions_up_to_an_entry_of_the_stack),
		PYTHON_TEST(functions_of_the_chain_on_the_stack),
		PYTHON_TEST(functions_up_to_the_one_with_a_flag),
		PYTHON_TEST(one_function_for_each_loop),
		PYTHON_TEST(lack_of_a_function_is_marked_at_the_last_loop),
		PYTHON_TEST(functions_that_do_not_go_on_as_the_chain_are_none_of_the_first_loop),
		PYTHON_TEST(loop_without_a_chain_of_its_own_has_no_functions),
		PYTHON_TEST(function_that_has_not_begun_is_at_its_start),
		PYTHON_TEST(place_beyond_the_last_is_not_known),
		PYTHON_TEST(thread_of_another_number_has_no_functions),
		PYTHON_TEST(thread_that_no_list_has_any_more_has_no_functions),
		PYTHON_TEST(thread_with_a_new_state_is_found_again),
		PYTHON_TEST(thread_behind_many_others_is_found_by_a_later_sample),
		PYTHON_TEST(state_in_a_far_interpreter_is_found_by_a_later_sample),
		PYTHON_TEST(frames_in_a_ring_end_at_the_depth_of_the_stack),
		PYTHON_TEST(frame_that_is_not_in_memory_ends_those_of_its_loop),
		PYTHON_TEST(function_without_a_code_object_has_no_number),
		PYTHON_TEST(place_in_a_copy_of_the_code),
		PYTHON_TEST(function_for_an_instruction_is_left_out),
		PYTHON_TEST(false_description_changes_no_native_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
