/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * task_find - the task that has a number in the collector's PID namespace
 *
 * Tree       a PID namespace has its struct pid in a radix tree of nodes with 64 slots each. An
 *            internal entry is the address of a node, or a mark of the tree, which no read reaches.
 * Trust      everything may change while it is read, and nothing on the way is checked: the task
 *            that comes out has the number only if its own struct pid says so.
 * Caller     under RCU, as BPF_PROG_TEST_RUN is: what was reached is not used anew meanwhile.
 */

#include "bpf/task.bpf.h"

#define TASK_FIND_LEVELS 6 /* as many as 2^32 numbers need */

/* include/linux/xarray.h */
#define XARRAY_KIND      3u /* of an entry */
#define XARRAY_INTERNAL  2u
#define XARRAY_SLOT_MASK 63u

/* Return: address of the struct pid; another entry of the tree, or what is no address. */
static __always_inline __u64 task_find_pid(__u32 number)
{
	__u64 entry = (__u64)KERNEL_READ(pid_namespace, own_namespace, idr.idr_rt.xa_head);
	__u32 index = number - KERNEL_READ(pid_namespace, own_namespace, idr.idr_base);

	for (int i = 0; i < TASK_FIND_LEVELS && (entry & XARRAY_KIND) == XARRAY_INTERNAL; i++) {
		__u64 node = entry - XARRAY_INTERNAL;
		__u32 shift = KERNEL_READ(xa_node, node, shift);
		__u64 slot = index >> (shift & 31) & XARRAY_SLOT_MASK;

		entry = kread_word(node + bpf_core_field_offset(struct xa_node, slots) + 8 * slot);
	}
	return entry;
}

/* Return: address of the task; 0: there is none, or it is just changing. */
__noinline __u64 task_find(__u32 number)
{
	__u64 pid = task_find_pid(number), task;

	task = (__u64)KERNEL_READ(pid, pid, tasks[0].first) -
	       bpf_core_field_offset(struct task_struct, pid_links);
	return number && task_own_number(task) == number ? task : 0;
}
