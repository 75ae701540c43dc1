/* SPDX-License-Identifier: GPL-2.0 */
/*
 * other_agent - another agent's BPF program, on a tracepoint, which keeps its CPU for a long time
 *
 * While it runs, the kernel skips every perf_event program on that CPU and counts nothing.
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define STEPS_MAX 1000000u

char LICENSE[] SEC("license") = "GPL";

__u64 busy_ns;          /* of each run, when a process of other_agent.c calls */
__u64 marked = 0x7ea21; /* last argument of its system calls */
__u64 spent_ns, runs;

struct turn {
	__u64 end;
};

static long wait_step(__u32 index, void *data)
{
	return bpf_ktime_get_ns() >= ((struct turn *)data)->end;
}

struct enter { /* format of raw_syscalls:sys_enter */
	__u64 common;
	__s64 number;
	__u64 arguments[6];
};

SEC("tracepoint/raw_syscalls/sys_enter")
int other_agent_enter(struct enter *context)
{
	__u64 begin = bpf_ktime_get_ns();
	struct turn turn = {begin + busy_ns};

	if (context->arguments[5] != marked)
		return 0;
	bpf_loop(STEPS_MAX, wait_step, &turn, 0);
	__sync_fetch_and_add(&spent_ns, bpf_ktime_get_ns() - begin);
	__sync_fetch_and_add(&runs, 1);
	return 0;
}
