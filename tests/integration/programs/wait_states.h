/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * wait_states - threads that wait in known ways, and that measure themselves how long
 *
 * Truth      A thread reads two clocks before and after it waits: what passed, less the CPU time
 *            that it used, is its time without a CPU. The scheduler counts a thread as running from
 *            the time that its run queue last read the clock, which on an idle CPU is some
 *            microseconds before the switch; so this is a lower bound. What passed in the calls
 *            that wait is an upper bound.
 * Output     A line for each function:
 *            FUNCTION STATE COUNT OFF-CPU-NS QUEUED-NS CALLS-NS ASLEEP-NS
 *            STATE may be several, as a|b. QUEUED is the scheduler's sum of waits for a CPU, from
 *            the time that the thread is on a run queue. CALLS is 0 where the calls were not
 *            measured. ASLEEP is what it slept at least; for pipes, until the other
 *            thread wrote. Behind each
 *            case comes a line CASE stolen NS: what the hypervisor took meanwhile.
 * Functions  make their system calls themselves, so that a function that waits is the innermost
 *            user frame, whether or not libc has an unwind table yet.
 */

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "noinline.h"

struct wait_time {
	uint64_t clock; /* ns */
	uint64_t cpu;
	uint64_t queued; /* that it waited for a CPU, as the scheduler counts it */
};

/* Sums over threads. */
struct wait_sum {
	uint64_t count;
	uint64_t off_cpu; /* ns */
	uint64_t queued;
	uint64_t calls;
	uint64_t asleep;
};

#define wait_inline static inline __attribute__((always_inline))

wait_inline long wait_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = 8; /* the bytes of a signal mask, where there is one */
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			     : "rcx", "r11", "memory");
	return result;
}

wait_inline long wait_sleep(uint64_t ns)
{
	struct timespec length = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	return wait_call(SYS_nanosleep, (long)&length, 0, 0, 0);
}

wait_inline void wait_add_to(uint64_t *sum, uint64_t ns)
{
	(void)__atomic_fetch_add(sum, ns, __ATOMIC_RELAXED);
}

uint64_t wait_clock(void); /* ns of CLOCK_MONOTONIC */

/* Of the calling thread. */
struct wait_time wait_now(void);

/* Adds what passed since @begin; thread-safe. */
void wait_add(struct wait_sum *sum, const struct wait_time *begin, uint64_t count);

void wait_print(const char *function, const char *state, const struct wait_sum *sum);

/* Ends the program with a message if @number is negative. Return: @number. */
long wait_must(long number, const char *what);

/* Keeps thread @tid (0: the caller) on the @index-th of the CPUs, counted round. */
void wait_pin(int tid, unsigned index);

/* Return: how many CPUs the program may use. */
unsigned wait_cpus(void);

void wait_busy(uint64_t ns);

/* Runs @count threads of @start, each with its element of @arguments, @bytes long, and waits for
 * them. */
void wait_threads(unsigned count, void *(*start)(void *), void *arguments, unsigned bytes);

/* The cases. @count: how often; @ns: a length that is the case's own. */
int wait_on_pipes(unsigned count, uint64_t ns);
int wait_on_futex(unsigned count, uint64_t ns);
int wait_on_epoll(unsigned count, uint64_t ns);
int wait_asleep(unsigned count, uint64_t ns);
int wait_bounded(unsigned count, uint64_t ns);
int wait_long_and_short(unsigned count, uint64_t ns);
int wait_on_disk(unsigned count, uint64_t ns);
int wait_on_io_uring(unsigned count, uint64_t ns);
int wait_on_vfork(unsigned count, uint64_t ns);
int wait_preempted(unsigned count, uint64_t ns);
int wait_yielding(unsigned count, uint64_t ns);
int wait_stopped(unsigned count, uint64_t ns);
int wait_moved(unsigned count, uint64_t ns);
int wait_beside(unsigned count, uint64_t ns);
int wait_mixed(unsigned count, uint64_t ns);
