/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * off_cpu_select - which times without a CPU get a stack: chosen in proportion to their length
 *
 * A stack stands for a stratum of 2^off_cpu_shift ns, which the collector adapts to the rate of
 * stacks. A time that is as long is always chosen and stands for itself. The shorter ones of a
 * thread, laid end to end, are cut into strata with one random point in each; what covers a point
 * is chosen, and stands for a stratum. So the expected value of each time is its length, whatever
 * the pattern of times is, and the error of a sum stays below that of independent choices.
 */

#include "bpf/thread_time.bpf.h"

#define OFF_CPU_SHIFT_MAX 36 /* 69 s */

__u64 off_cpu_shift; /* set by the collector */

static __always_inline __u64 off_cpu_strata(void)
{
	__u64 shift = *(volatile __u64 *)&off_cpu_shift;

	return shift < OFF_CPU_SHIFT_MAX ? shift : OFF_CPU_SHIFT_MAX;
}

/* A choice: for how many strata the stack of a time stands (0: not chosen), and their size. */
#define OFF_CPU_ITSELF       3u /* it stands for its own time instead */
#define OFF_CPU_STRATA       3u
#define OFF_CPU_CHOICE_SHIFT 2
#define OFF_CPU_WAKER_CHOSE  (1u << 15) /* thread_time.ahead: a choice stands in the other bits */

/* ns that the stack of a time of @ns stands for. */
static __always_inline __u64 off_cpu_value(__u32 choice, __u64 ns)
{
	__u64 strata = choice & OFF_CPU_STRATA;
	__u32 shift = (choice & ~OFF_CPU_WAKER_CHOSE) >> OFF_CPU_CHOICE_SHIFT;

	return strata == OFF_CPU_ITSELF ? ns : strata << (shift & 63);
}

static __always_inline __u32 off_cpu_select(struct thread_time *time, __u64 ns)
{
	__u64 shift = off_cpu_strata(), end;
	__u32 strata;

	if (ns >> shift)
		return OFF_CPU_ITSELF;
	/* In units of 2^-32 of the stratum: less than one, so the sum is less than two. */
	end = time->position + (shift > 32 ? ns >> (shift - 32) : ns << (32 - shift));
	strata = time->position <= time->point && time->point < end;
	if (end >> 32) {
		end &= 0xffffffffu;
		time->point = bpf_get_prandom_u32();
		if (time->point < end)
			strata++;
	}
	time->position = (__u32)end;
	return (__u32)shift << OFF_CPU_CHOICE_SHIFT | strata;
}

/* The ns that one time alone stands for. */
static __always_inline __u64 off_cpu_select_one(__u64 ns)
{
	__u64 shift = off_cpu_strata(), part;

	if (ns >> shift)
		return ns;
	part = shift > 32 ? ns >> (shift - 32) : ns << (32 - shift);
	return bpf_get_prandom_u32() < part ? 1ull << shift : 0;
}
