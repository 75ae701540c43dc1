/* SPDX-License-Identifier: GPL-2.0 */
/*
 * empty_hooks - programs that do nothing, at the tracepoints that off-CPU sampling uses
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_switch")
int empty_switch(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int empty_waking(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_exit_tp")
int empty_switched(void *ctx)
{
	return 0;
}
