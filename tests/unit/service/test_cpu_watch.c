/* SPDX-License-Identifier: Apache-2.0 */
/* test_cpu_watch - which CPUs count as new at a look */

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "service/cpu_watch.h"

#define NOW          100000u
#define OFFSET       "boottime 5000 0"
#define OFFSET_MS    5000000u
#define NO_NAMESPACE 2

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80 /* include/uapi/linux/sched.h */
#endif

static unsigned cpus[TM_CPUS_MAX];

static void each_cpu_is_new_once(void **state)
{
	struct cpu_watch watch;
	unsigned count;

	assert_int_equal(cpu_watch_open(&watch), 0);
	count = cpu_watch_look(&watch, NOW, 0, cpus);
	assert_true(count > 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + CPU_WATCH_MS, 0, cpus), 0);
	watch.online[cpus[0] / 8] = 0; /* as if it had not been there */
	assert_int_equal(cpu_watch_look(&watch, NOW + 1, 0, cpus), 0); /* it is too early */
	assert_true(cpu_watch_look(&watch, NOW + 2 * CPU_WATCH_MS, 0, cpus) > 0);
}

static void all_are_new_behind_a_suspend(void **state)
{
	struct cpu_watch watch;
	const uint64_t slept = 7000, again = slept + CPU_WATCH_SUSPENDED_MS + 1;
	unsigned count;

	assert_int_equal(cpu_watch_open(&watch), 0);
	count = cpu_watch_look(&watch, NOW, slept, cpus);
	assert_int_equal(cpu_watch_look(&watch, NOW + CPU_WATCH_MS, slept - 1000, cpus), 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + 2 * CPU_WATCH_MS, slept, cpus), 0);
	assert_int_equal(cpu_watch_look(&watch, NOW + 3 * CPU_WATCH_MS, again, cpus), count);
	assert_int_equal(cpu_watch_look(&watch, NOW + 4 * CPU_WATCH_MS, again, cpus), 0);
}

/* A container's root, such as that of systemd-nspawn, has no CAP_SYS_TIME. */
static bool may_set_clocks(void)
{
	return geteuid() == 0 && prctl(PR_CAPBSET_READ, CAP_SYS_TIME) == 1;
}

/* In a time namespace that says so, which takes CAP_SYS_TIME. */
static int suspended_in_namespace(void)
{
	int offsets = -1, status;
	pid_t child;

	if (unshare(CLONE_NEWTIME) == 0)
		offsets = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (offsets < 0 || write(offsets, OFFSET, sizeof(OFFSET) - 1) < 0)
		return NO_NAMESPACE;
	child = fork();
	if (child == 0)
		_exit(cpu_watch_suspended_ms() < OFFSET_MS);
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void the_clocks_say_how_long_that_was(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(suspended_in_namespace());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(status == 0 || (WEXITSTATUS(status) == NO_NAMESPACE && !may_set_clocks()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_is_new_once),
		cmocka_unit_test(all_are_new_behind_a_suspend),
		cmocka_unit_test(the_clocks_say_how_long_that_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
