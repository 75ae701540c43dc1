/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * task - who a task is: its generation, its flags, its numbers, its user registers
 *
 * All take addresses, read by probe reads: a stale one gives zeros, never a fault.
 */

#include <bpf/bpf_core_read.h>

#include "bpf/kernel.h"
#include "bpf/mapping.bpf.h"
#include "shared/event.h"

/* The collector's own PID namespace, as find_self found it. */
__u32 own_level;
__u64 own_namespace;

#define TASK_READ(task, ...) KERNEL_READ(task_struct, task, __VA_ARGS__)

static __always_inline __u32 task_flags(__u64 task)
{
	__u32 kernel = TASK_READ(task, flags), flags = 0;
	const struct task_struct *t = (const struct task_struct *)task;

	if (kernel & PF_EXITING)
		flags |= TM_FLAG_EXITING;
	if (kernel & PF_KTHREAD)
		flags |= TM_FLAG_KTHREAD;
	if (kernel & PF_IO_WORKER)
		flags |= TM_FLAG_IO_WORKER;
	if ((kernel & PF_USER_WORKER) &&
	    bpf_core_field_exists(struct kernel_clone_args, user_worker))
		flags |= TM_FLAG_IO_WORKER;
	if (bpf_core_field_exists(struct task_struct, in_execve) &&
	    BPF_CORE_READ_BITFIELD_PROBED(t, in_execve))
		flags |= TM_FLAG_IN_EXEC;
	return flags;
}

/*
 * Start of the group leader, 0 if unknown: a thread that has been released from its group (its
 * sighand is gone) may outlive its leader, so it is not followed there.
 */
static __always_inline __u64 task_start(__u64 task)
{
	__u64 leader = (__u64)TASK_READ(task, group_leader);

	if (leader == task)
		return TASK_READ(task, start_boottime);
	if (!TASK_READ(task, sighand))
		return 0;
	return TASK_READ(leader, start_boottime);
}

/* Who the current task is, but for the type, the length and the time of the record. */
static __always_inline void task_describe(__u64 task, struct tm_event *event)
{
	__u64 numbers = bpf_get_current_pid_tgid();

	event->start_boottime = task_start(task);
	event->tgid = (__u32)(numbers >> 32);
	event->tid = (__u32)numbers;
	event->exec_id = (__u32)TASK_READ(task, self_exec_id);
	event->flags = task_flags(task);
}

static __always_inline __u32 task_level(__u64 task)
{
	__u64 pid = (__u64)TASK_READ(task, thread_pid);

	return pid ? KERNEL_READ(pid, pid, level) : 0;
}

/* Address of the task's struct upid at one level of PID namespaces, not above task_level(). */
static __always_inline __u64 task_upid(__u64 task, __u32 level)
{
	__u64 pid = (__u64)TASK_READ(task, thread_pid);

	return pid + bpf_core_field_offset(struct pid, numbers) +
	       (__u64)level * bpf_core_type_size(struct upid);
}

/* The task's number in the collector's PID namespace; 0 if it is not visible there. */
static __always_inline __u32 task_own_number(__u64 task)
{
	__u64 at = task_upid(task, own_level);

	if (!own_namespace || task_level(task) < own_level)
		return 0;
	if ((__u64)KERNEL_READ(upid, at, ns) != own_namespace)
		return 0;
	return (__u32)KERNEL_READ(upid, at, nr);
}

static __always_inline __u32 task_mount_namespace(__u64 task)
{
	return TASK_READ(task, nsproxy) ? TASK_READ(task, nsproxy, mnt_ns, ns.inum) : 0;
}

struct user_registers {
	__u64 at; /* where they are */
	__u64 ip;
	__u64 sp;
	__u64 bp;
	__u64 cs;
};

#define REGISTER_READ(at, field) KERNEL_READ(pt_regs___kernel, at, field)

/*
 * The user registers of a task lie at the top of its kernel stack, below 16 bytes of padding where
 * the kernel can use FRED. Both selectors' privilege bits tell which.
 */
static __always_inline bool task_user_registers(__u64 task, struct user_registers *registers)
{
	__u64 size = bpf_core_type_size(struct pt_regs___kernel);
	__u64 at = (__u64)TASK_READ(task, stack) + THREAD_SIZE - size;

	for (int i = 0; i < 2; i++, at -= 16) {
		registers->cs = REGISTER_READ(at, cs) & 0xffff;
		if ((registers->cs & 3) != 3 || (REGISTER_READ(at, ss) & 3) != 3)
			continue;
		registers->at = at;
		registers->ip = REGISTER_READ(at, ip);
		registers->sp = REGISTER_READ(at, sp);
		registers->bp = REGISTER_READ(at, bp);
		return true;
	}
	return false;
}
