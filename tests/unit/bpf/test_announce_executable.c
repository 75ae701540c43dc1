/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_announce_executable - an executable is announced with its process, wherever it is on the
 * stack, and at the exec of a selected process
 */

#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define KERNEL_FRAME 0xffffffff81000010ull

/* SAMPLED_CODE is the program's; the leaf is a library's. */
static int make(void **state)
{
	sampled_make(state);
	exec_ready = 0;
	bpf_host_pass(100 * TM_NS_PER_SECOND);
	sampled.end_code = SAMPLED_CODE + 0x4000;
	sampled.registers.rip = SAMPLED_LIBRARY + LEAF;
	return 0;
}

static void executable_is_announced_with_its_process(void **state)
{
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2);
	assert_int_equal(bpf_maps_announced_file()->identity.ino,
			 SAMPLED_INO(SAMPLED_PROGRAM_FILE));
	assert_int_equal(bpf_maps_announced_file()->vm_start, SAMPLED_CODE);
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 2);
	epoch_bumps++;
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 4);
}

static void executable_that_is_on_the_stack_is_announced_once(void **state)
{
	sampled.registers.rip = CODE(LEAF);
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
}

static void process_without_an_executable_has_none_announced(void **state)
{
	sampled.end_code = 0;
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

/* A timer's hit inside execve has announced nothing, and the programs have its task. */
static void reach_exec(void)
{
	sampled.in_execve = true;
	sampled.in_kernel = true;
	(void)sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 0);
}

static void executable_of_a_selected_process_is_announced_at_exec(void **state)
{
	reach_exec();
	assert_int_equal(on_exec(NULL), 0);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 0);
	program_select(100, 5000);
	assert_int_equal(on_exec(NULL), 0);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	assert_int_equal(bpf_maps_announced_file()->identity.ino,
			 SAMPLED_INO(SAMPLED_PROGRAM_FILE));
	assert_int_equal(on_exec(NULL), 0);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 1);
}

/* Each is due again, as new programs are. Return: FILE records. */
static unsigned announced_of(unsigned execs)
{
	unsigned before = bpf_maps_records(TM_EVENT_FILE);

	for (unsigned i = 0; i < execs; i++) {
		epoch_bumps++;
		assert_int_equal(on_exec(NULL), 0);
	}
	return bpf_maps_records(TM_EVENT_FILE) - before;
}

static void ever_new_programs_are_announced_at_a_rate(void **state)
{
	reach_exec();
	program_select(100, 5000);
	assert_in_range(announced_of(100), 32, 33);
	assert_int_equal(announced_of(10), 0);
	bpf_host_pass(TM_NS_PER_SECOND);
	assert_in_range(announced_of(100), 2, 3);
	bpf_host_pass(100 * TM_NS_PER_SECOND);
	assert_in_range(announced_of(100), 32, 33);
}

static unsigned hits; /* of the timer while the executable is announced */

static void hit(void)
{
	bpf_host_after_kernel_read(NULL);
	for (unsigned i = 0; i < hits; i++)
		(void)sampled_once();
}

/* A hit between two reads of kernel memory; the first one is before the announcement. */
static void hit_soon(void)
{
	if (bpf_maps_slot()->level[TM_LEVEL_TIMER].ktime)
		hit();
}

/* @count: hits of the timer while the executable is announced. */
static void exec_beside(unsigned count)
{
	reach_exec();
	program_select(100, 5000);
	hits = count;
	bpf_host_after_kernel_read(hit_soon);
	assert_int_equal(on_exec(NULL), 0);
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
}

static void hit_meanwhile_is_taken_afterwards(void **state)
{
	const uint64_t address = KERNEL_FRAME;

	bpf_host_kernel_stack(&address, 1);
	bpf_maps_slot()->weight_ns = 12345;
	exec_beside(1);
	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 2);
	assert_int_equal(bpf_maps_sample()->user_stop, TM_STOP_EXEC);
	assert_int_equal(bpf_maps_sample()->kernel_frames, 1);
	assert_true(bpf_maps_sample()->frames[0] == KERNEL_FRAME);
	assert_int_equal(bpf_maps_sample()->value, 12345);
	assert_int_equal(bpf_maps_slot()->nested, 0);
	assert_int_equal(bpf_maps_counts()->taken, 2);
}

static void each_hit_meanwhile_is_taken(void **state)
{
	exec_beside(3);
	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 4);
	assert_int_equal(bpf_maps_slot()->nested, 0);
	assert_int_equal(bpf_maps_counts()->taken, 4);
}

static void hits_beyond_a_number_are_counted(void **state)
{
	exec_beside(20);
	assert_int_equal(bpf_maps_records(TM_EVENT_SAMPLE), 17);
	assert_int_equal(bpf_maps_slot()->nested, 4);
	assert_int_equal(bpf_maps_counts()->taken, 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(executable_is_announced_with_its_process, make),
		cmocka_unit_test_setup(executable_that_is_on_the_stack_is_announced_once, make),
		cmocka_unit_test_setup(process_without_an_executable_has_none_announced, make),
		cmocka_unit_test_setup(executable_of_a_selected_process_is_announced_at_exec, make),
		cmocka_unit_test_setup(ever_new_programs_are_announced_at_a_rate, make),
		cmocka_unit_test_setup(hit_meanwhile_is_taken_afterwards, make),
		cmocka_unit_test_setup(each_hit_meanwhile_is_taken, make),
		cmocka_unit_test_setup(hits_beyond_a_number_are_counted, make),
	};

	return SAMPLED_RUN(tests);
}
