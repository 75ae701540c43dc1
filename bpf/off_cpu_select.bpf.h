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

/* ns that the stack of a time of @ns stands for; 0: it is not chosen. */
static __always_inline __u64 off_cpu_select(struct thread_time *time, __u64 ns)
{
	__u64 shift = off_cpu_strata(), stratum = 1ull << shift, end, value = 0;

	if (ns >= stratum)
		return ns;
	/* In units of 2^-32 of the stratum: less than one, so the sum is less than two. */
	end = time->position + (shift > 32 ? ns >> (shift - 32) : ns << (32 - shift));
	if (time->position <= time->point && time->point < end)
		value = stratum;
	if (end >> 32) {
		end &= 0xffffffffu;
		time->point = bpf_get_prandom_u32();
		if (time->point < end)
			value += stratum;
	}
	time->position = (__u32)end;
	return value;
}

/* The same for one time alone. */
static __always_inline __u64 off_cpu_select_one(__u64 ns)
{
	__u64 shift = off_cpu_strata(), part;

	if (ns >> shift)
		return ns;
	part = shift > 32 ? ns >> (shift - 32) : ns << (32 - shift);
	return bpf_get_prandom_u32() < part ? 1ull << shift : 0;
}
