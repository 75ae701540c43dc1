/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_off_cpu_end - a waking divides the time without a CPU; what has none is counted
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shared/event.h"
#include "tests/unit/bpf/programs.h"

#define RAN   1000u
#define SINCE 2000u
#define END   9000u

static void assert_times(enum tm_thread_state state, uint64_t woken, uint64_t end,
			 struct program_off_cpu_ns wanted)
{
	const struct program_off_cpu_wait wait = {
		.state = state, .ran = RAN, .since = SINCE, .woken = woken, .end = end};
	struct program_off_cpu_ns found;

	program_off_cpu_end(&wait, &found);
	assert_int_equal(found.sleep, wanted.sleep);
	assert_int_equal(found.wait, wanted.wait);
	assert_int_equal(found.unseen, wanted.unseen);
}

static void test_woken(void **state)
{
	for (unsigned asleep = TM_THREAD_INTERRUPTIBLE; asleep <= TM_THREAD_STOPPED; asleep++)
		assert_times(asleep, 6500, END, (struct program_off_cpu_ns){4500, 2500, 0});
}

static void test_woken_before_it_left(void **state)
{
	assert_times(TM_THREAD_INTERRUPTIBLE, 1500, END, (struct program_off_cpu_ns){0, 7000, 0});
	assert_times(TM_THREAD_INTERRUPTIBLE, RAN, END, (struct program_off_cpu_ns){0, 7000, 0});
}

static void test_waking_unseen(void **state)
{
	/* None, one before it had its last CPU, and one that cannot be of this sleep. */
	static const uint64_t woken[] = {0, RAN - 1, END + 1};

	for (unsigned i = 0; i < sizeof(woken) / sizeof(*woken); i++)
		assert_times(TM_THREAD_INTERRUPTIBLE, woken[i], END,
			     (struct program_off_cpu_ns){7000, 0, 7000});
}

static void test_not_asleep(void **state)
{
	assert_times(TM_THREAD_PREEMPTED, 0, END, (struct program_off_cpu_ns){0, 7000, 0});
	assert_times(TM_THREAD_YIELDED, 6500, END, (struct program_off_cpu_ns){0, 7000, 0});
}

static void test_no_time(void **state)
{
	assert_times(TM_THREAD_INTERRUPTIBLE, 0, SINCE, (struct program_off_cpu_ns){0, 0, 0});
	assert_times(TM_THREAD_PREEMPTED, 0, SINCE, (struct program_off_cpu_ns){0, 0, 0});
}

static void assert_left(enum tm_thread_state state, uint64_t since, bool left, uint64_t untracked)
{
	uint64_t found = 0;

	assert_int_equal(program_off_cpu_left(state, since, &found), left);
	assert_int_equal(found, untracked);
}

/* A state in which nothing waits is no sample: the collector would drop it. */
static void test_leaving_unseen(void **state)
{
	assert_left(TM_THREAD_ON_CPU, SINCE, false, 1);
	assert_left(TM_THREAD_NEW, SINCE, false, 0);
	assert_left(TM_THREAD_PREEMPTED, 0, false, 0);
	for (unsigned off = TM_THREAD_RUNNABLE; off <= TM_THREAD_STOPPED; off++)
		assert_left(off, SINCE, true, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_woken),         cmocka_unit_test(test_woken_before_it_left),
		cmocka_unit_test(test_waking_unseen), cmocka_unit_test(test_not_asleep),
		cmocka_unit_test(test_no_time),       cmocka_unit_test(test_leaving_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
