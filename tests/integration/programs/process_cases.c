/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_cases - one process that comes into being, or goes on, in an unusual way
 *
 * Each case is called as process_cases CASE MICROSECONDS, followed by what stands here:
 *   fork                              the child never executes anything
 *   vfork PROGRAM [ARGUMENT...]       the child runs on its parent's memory first
 *   chain PROGRAM [ARGUMENT...]       spins, then executes
 *   thread PROGRAM [ARGUMENT...]      the same, from a thread that is not the first
 *   alone                             a thread whose first thread has exited
 *   named NAME                        calls itself NAME
 *   heavy MEGABYTES                   exits with so much memory to give back
 *   crowd DESCRIPTORS PROGRAM [ARGUMENT...]
 *                                     executes with so many descriptors that close at exec
 *
 * Each spins for MICROSECONDS of CPU time in the function case_CASE, whose threads have its name.
 */

#include <fcntl.h>

#include "bare.h"

#define SIGCHLD_NUMBER 17

static char **next; /* program to execute and its arguments */
static long spin_us;
static const char null_device[] = "/dev/null";

static int is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static void call_oneself(const char *name)
{
	bare_call(SYS_prctl, 15 /* PR_SET_NAME */, (long)(uintptr_t)name, 0, 0);
}

static void execute(void)
{
	char *none[] = {NULL};

	bare_call(SYS_execve, (long)(uintptr_t)next[0], (long)(uintptr_t)next,
		  (long)(uintptr_t)none, 0);
	bare_call(SYS_exit_group, 9, 0, 0, 0);
}

#define SPIN() bare_spin_ns(CLOCK_THREAD_CPUTIME_ID, (uint64_t)spin_us * 1000u)

bare_noinline static void case_fork(void)
{
	SPIN();
}
bare_noinline static void case_vfork(void)
{
	SPIN();
}
bare_noinline static void case_chain(void)
{
	SPIN();
}
bare_noinline static void case_thread(void)
{
	SPIN();
}
bare_noinline static void case_alone(void)
{
	SPIN();
}
bare_noinline static void case_named(void)
{
	SPIN();
}
bare_noinline static void case_heavy(void)
{
	SPIN();
}
bare_noinline static void case_crowd(void)
{
	SPIN();
}

static int await(long child)
{
	int status = 0;

	bare_call(SYS_wait4, child, (long)(uintptr_t)&status, 0, 0);
	return status != 0;
}

static int run_fork(void)
{
	long child = bare_call(SYS_clone, SIGCHLD_NUMBER, 0, 0, 0);

	if (child)
		return await(child);
	call_oneself("case_fork");
	case_fork();
	return 0;
}

static void vforked(long unused)
{
	(void)unused;
	call_oneself("case_vfork");
	case_vfork();
	execute();
}

/* The child has a stack of its own but the memory of its parent, which waits. */
static int run_vfork(void)
{
	uint64_t *top = bare_stack_top();
	long child;

	top[0] = (uint64_t)(uintptr_t)vforked;
	top[1] = 0;
	child = bare_clone(CLONE_VM | CLONE_VFORK | SIGCHLD_NUMBER, top, NULL, NULL);
	return await(child);
}

static void threaded(long unused)
{
	(void)unused;
	call_oneself("case_thread");
	case_thread();
	execute();
}

static void alone(long unused)
{
	(void)unused;
	call_oneself("case_alone");
	case_alone();
	bare_call(SYS_exit_group, 0, 0, 0, 0);
}

/* mmap has more arguments than bare_call passes on, so the break is moved instead. */
static int run_heavy(unsigned megabytes)
{
	char *from = (char *)(uintptr_t)bare_call(SYS_brk, 0, 0, 0, 0);
	size_t bytes = (size_t)megabytes << 20;

	call_oneself("case_heavy");
	if (bare_call(SYS_brk, (long)(uintptr_t)(from + bytes), 0, 0, 0) < (long)(uintptr_t)from)
		return 9;
	for (size_t at = 0; at < bytes; at += 4096)
		__atomic_store_n(from + at, 1, __ATOMIC_RELAXED);
	case_heavy();
	return 0;
}

static int run_crowd(unsigned descriptors)
{
	for (unsigned i = 0; i < descriptors; i++)
		bare_call(SYS_open, (long)(uintptr_t)null_device, O_RDONLY | O_CLOEXEC, 0, 0);
	case_crowd();
	execute();
	return 9;
}

int bare_run(int argc, char **argv)
{
	const char *role = argc > 2 ? argv[1] : "";

	spin_us = argc > 2 ? (long)bare_number(argv[2]) : 0;
	next = argv + 3;
	if (is(role, "fork"))
		return run_fork();
	if (is(role, "vfork"))
		return run_vfork();
	if (is(role, "chain")) {
		case_chain();
		execute();
	}
	if (is(role, "thread")) {
		bare_thread_begin(0, threaded, 0);
		bare_thread_join(0);
	}
	if (is(role, "alone")) {
		bare_thread_begin(0, alone, 0);
		bare_call(SYS_exit, 0, 0, 0, 0);
	}
	if (is(role, "named") && argc > 3) {
		call_oneself(argv[3]);
		case_named();
		return 0;
	}
	if (is(role, "heavy") && argc > 3)
		return run_heavy(bare_number(argv[3]));
	if (is(role, "crowd") && argc > 4) {
		next = argv + 4;
		return run_crowd(bare_number(argv[3]));
	}
	return 2;
}
