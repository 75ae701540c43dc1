/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_sample_start - where the user stack of a sample begins, and which samples have none
 */

#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define PF_EXITING   0x00000004u /* include/linux/sched.h */
#define PF_IO_WORKER 0x00000010u
#define PF_KTHREAD   0x00200000u
#define USER32_CS    0x23

static void called_leaf(void)
{
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(START, RULE_END);
	sampled_store(SAMPLED_SP, CODE(START + 8));
}

static void expect_whole(void)
{
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(START + 8));
}

static void expect_none(enum tm_stop stop)
{
	const struct tm_sample *sample = sampled_take();

	assert_int_equal(sample->user_frames, 0);
	assert_int_equal(sample->user_stop, stop);
}

static void user_mode_has_the_user_registers(void **state)
{
	called_leaf();
	expect_whole();
	assert_true(bpf_maps_sample()->event.flags & TM_FLAG_USER_MODE);
	assert_int_equal(bpf_maps_sample()->event.tgid, 100);
	assert_int_equal(bpf_maps_sample()->event.start_boottime, 5000);
}

static void kernel_mode_finds_user_registers_on_the_kernel_stack(void **state)
{
	static const uint64_t addresses[] = {0xffffffff81000010, 0xffffffff81000020};

	called_leaf();
	sampled_install();
	sampled.in_kernel = true;
	bpf_host_kernel_stack(addresses, 2);
	expect_whole();
	assert_int_equal(bpf_maps_sample()->kernel_frames, 2);
	assert_memory_equal(bpf_maps_sample()->frames, addresses, sizeof(addresses));
	assert_false(bpf_maps_sample()->event.flags & TM_FLAG_USER_MODE);
}

static void kernel_mode_finds_user_registers_below_padding(void **state)
{
	called_leaf();
	sampled_install();
	sampled.in_kernel = true;
	sampled.padded = true;
	expect_whole();
}

static void kernel_mode_without_user_registers_is_a_reason(void **state)
{
	called_leaf();
	sampled_install();
	sampled.in_kernel = true;
	sampled.registers.cs = 0x10;
	expect_none(TM_STOP_NO_REGISTERS);
}

static void deep_kernel_stack_is_a_reason(void **state)
{
	static uint64_t addresses[TM_KERNEL_FRAMES_MAX];

	for (unsigned i = 0; i < TM_KERNEL_FRAMES_MAX; i++)
		addresses[i] = 0xffffffff81000000 + i;
	called_leaf();
	sampled_install();
	sampled.in_kernel = true;
	bpf_host_kernel_stack(addresses, TM_KERNEL_FRAMES_MAX - 1);
	expect_whole();
	assert_int_equal(bpf_maps_sample()->kernel_stop, TM_STOP_NONE);
	bpf_host_kernel_stack(addresses, TM_KERNEL_FRAMES_MAX);
	expect_whole();
	assert_int_equal(bpf_maps_sample()->kernel_stop, TM_STOP_KERNEL_DEPTH);
}

static void kernel_stack_that_the_kernel_cuts_is_a_reason(void **state)
{
	static const uint64_t addresses[16] = {0xffffffff81000010};

	called_leaf();
	sampled_install();
	sampled.in_kernel = true;
	kernel_frames_most = 16;
	bpf_host_kernel_stack(addresses, 15);
	expect_whole();
	assert_int_equal(bpf_maps_sample()->kernel_stop, TM_STOP_NONE);
	bpf_host_kernel_stack(addresses, 16);
	expect_whole();
	assert_int_equal(bpf_maps_sample()->kernel_stop, TM_STOP_KERNEL_DEPTH);
	kernel_frames_most = 0;
}

static void task_of_32_bits_is_a_reason(void **state)
{
	called_leaf();
	sampled_install();
	sampled.registers.cs = USER32_CS;
	expect_none(TM_STOP_COMPAT);
}

static void task_inside_execve_is_a_reason(void **state)
{
	called_leaf();
	sampled_install();
	sampled.in_execve = true;
	expect_none(TM_STOP_EXEC);
}

static void task_without_its_mm_is_a_reason(void **state)
{
	called_leaf();
	sampled_install();
	sampled.has_no_mm = true;
	sampled.task_flags = PF_EXITING;
	expect_none(TM_STOP_EXITING);
	assert_true(bpf_maps_sample()->event.flags & TM_FLAG_NO_MM);
}

static void kernel_threads_have_no_user_stack(void **state)
{
	called_leaf();
	sampled_install();
	sampled.task_flags = PF_KTHREAD;
	expect_none(TM_STOP_NONE);
	sampled.task_flags = PF_IO_WORKER;
	expect_none(TM_STOP_NONE);
}

static void jump_to_unmapped_code_has_its_leaf(void **state)
{
	called_leaf();
	sampled_install();
	sampled.registers.rip = 0x10;
	sampled_expect(TM_STOP_NO_TABLE, FRAME_KIND(UNRESOLVED) | TM_UNRESOLVED_NO_MAPPING);
}

static void code_of_the_vdso_has_its_own_table(void **state)
{
	called_leaf();
	sampled_install();
	sampled.vdso = SAMPLED_VDSO;
	sampled.registers.rip = SAMPLED_VDSO + 0x30;
	sampled_expect(TM_STOP_NO_TABLE, FRAME_KIND(VDSO) | 0x30);
	sampled_vdso_table();
	sampled.registers.rip = SAMPLED_VDSO + LEAF;
	sampled_expect(TM_STOP_NONE, FRAME_KIND(VDSO) | LEAF, FRAME_CALL(START + 8));
}

/* --- nothing of one sample is left for the next ----------------------------------------------- */

static void changed_stack_is_read_again(void **state)
{
	called_leaf();
	expect_whole();
	sampled_store(SAMPLED_SP, CODE(START + 24));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(START + 24));
}

/* A zero frame pointer counts only where this sample's chain led to it. */
static void chain_of_the_sample_before_does_not_count(void **state)
{
	sampled_row(START, RULE_END);
	sampled.registers.rbp = SAMPLED_SP;
	sampled_words(SAMPLED_SP, 0, CODE(0x2000));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(LEAF), FRAME_CALL(0x2000));
	sampled.registers.rbp = 0;
	sampled_expect(TM_STOP_FRAME_POINTER, FRAME_EXACT(LEAF));
}

/* One sample restores rbx from the stack, one takes all registers from a signal frame. */
static void registers_of_the_sample_before_do_not_count(void **state)
{
	sampled_row(LEAF, RULE(REGISTER, 16, .base = 3));
	sampled_row(0x2000, RULE(SP, 16, .flags = TM_RULE_KEPT, .cfa_add = 2));
	sampled_row(0x2800, RULE_SIGNAL);
	sampled_sigreturn(0x2800);
	sampled_row(START, RULE_END);
	sampled.registers.rbx = SAMPLED_SP;
	sampled_words(SAMPLED_SP, 0x1234, CODE(START + 8));
	expect_whole();

	sampled.registers.rip = CODE(0x2000);
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(0x2000), FRAME_CALL(START + 8));
	sampled.registers.rip = CODE(LEAF);
	expect_whole();

	sampled.registers.rip = CODE(0x2800);
	sampled_words(SAMPLED_SP + 160, SAMPLED_SP + 16, CODE(START));
	sampled_expect(TM_STOP_NONE, FRAME_EXACT(0x2800), FRAME_EXACT(START));
	sampled.registers.rip = CODE(LEAF);
	expect_whole();
}

/* --- records and counts ----------------------------------------------------------------------- */

static void level_in_use_is_left_alone(void **state)
{
	struct tm_mark *mark = &bpf_maps_slot()->level[TM_LEVEL_TIMER];
	uint64_t taken;

	called_leaf();
	expect_whole();
	assert_int_equal(mark->ktime, 0);
	taken = bpf_maps_counts()->taken;
	mark->ktime = 77;
	(void)sampled_once();
	assert_int_equal(bpf_maps_slot()->nested, 1);
	assert_int_equal(bpf_maps_counts()->taken, taken);
	assert_int_equal(mark->ktime, 77);
	mark->ktime = 0;
	(void)sampled_once();
	assert_int_equal(bpf_maps_counts()->taken, taken + 1);
}

/* As while a program at an exit, a switch or a waking is interrupted by the timer. */
static void other_levels_in_use_do_not_matter(void **state)
{
	called_leaf();
	for (unsigned level = TM_LEVEL_TIMER + 1; level < TM_LEVELS_N; level++)
		bpf_maps_slot()->level[level].ktime = 77;
	expect_whole();
	assert_int_equal(bpf_maps_slot()->nested, 0);
	for (unsigned level = TM_LEVEL_TIMER + 1; level < TM_LEVELS_N; level++)
		assert_int_equal(bpf_maps_slot()->level[level].ktime, 77);
}

/* The first sample announces the process and its file; the next one announces nothing. */
static void sampled_file_is_announced_once(void **state)
{
	called_leaf();
	expect_whole();
	expect_whole();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 1);
}

/* The first sample with a frame in anonymous code does so, and no other in the same epoch. */
static void anonymous_code_announces_its_process_once_more(void **state)
{
	called_leaf();
	expect_whole();
	assert_false(bpf_maps_process()->event.flags & TM_FLAG_ANONYMOUS);
	sampled.registers.rip = SAMPLED_JIT + 0x10;
	sampled_expect(TM_STOP_FRAME_POINTER, FRAME_KIND(ANON) | (SAMPLED_JIT + 0x10));
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 2);
	assert_true(bpf_maps_process()->event.flags & TM_FLAG_ANONYMOUS);
	assert_int_equal(bpf_maps_process()->euid, SAMPLED_EUID);
	sampled_expect(TM_STOP_FRAME_POINTER, FRAME_KIND(ANON) | (SAMPLED_JIT + 0x10));
	sampled.registers.rip = CODE(LEAF);
	expect_whole();
	assert_int_equal(bpf_maps_records(TM_EVENT_PROCESS), 2);
}

static void frames_are_counted_by_how_they_were_unwound(void **state)
{
	uint64_t rows, pointers;

	called_leaf();
	sampled_install();
	rows = bpf_maps_counts()->bpf.steps_by_table;
	pointers = bpf_maps_counts()->bpf.steps_by_frame_pointer;
	expect_whole(); /* by two programs */
	assert_int_equal(bpf_maps_counts()->bpf.steps_by_table - rows, 2);
	assert_int_equal(bpf_maps_counts()->bpf.steps_by_frame_pointer - pointers, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(user_mode_has_the_user_registers),
		SAMPLED_TEST(kernel_mode_finds_user_registers_on_the_kernel_stack),
		SAMPLED_TEST(kernel_mode_finds_user_registers_below_padding),
		SAMPLED_TEST(kernel_mode_without_user_registers_is_a_reason),
		SAMPLED_TEST(deep_kernel_stack_is_a_reason),
		SAMPLED_TEST(kernel_stack_that_the_kernel_cuts_is_a_reason),
		SAMPLED_TEST(task_of_32_bits_is_a_reason),
		SAMPLED_TEST(task_inside_execve_is_a_reason),
		SAMPLED_TEST(task_without_its_mm_is_a_reason),
		SAMPLED_TEST(kernel_threads_have_no_user_stack),
		SAMPLED_TEST(jump_to_unmapped_code_has_its_leaf),
		SAMPLED_TEST(code_of_the_vdso_has_its_own_table),
		SAMPLED_TEST(changed_stack_is_read_again),
		SAMPLED_TEST(chain_of_the_sample_before_does_not_count),
		SAMPLED_TEST(registers_of_the_sample_before_do_not_count),
		SAMPLED_TEST(level_in_use_is_left_alone),
		SAMPLED_TEST(other_levels_in_use_do_not_matter),
		SAMPLED_TEST(sampled_file_is_announced_once),
		SAMPLED_TEST(anonymous_code_announces_its_process_once_more),
		SAMPLED_TEST(frames_are_counted_by_how_they_were_unwound),
	};

	return SAMPLED_RUN(tests);
}
