/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * task - a task's generation, flags, ids and user registers
 *
 * Tasks are given by address and read by probe reads: a stale address gives zeros, never a fault.
 */

#include <bpf/bpf_core_read.h>

#include "bpf/kernel_types.h"
#include "bpf/vma.bpf.h"
#include "shared/event.h"

/* The collector's own PID namespace; set by find_self. */
__u32 own_level;
__u64 own_namespace;

#define TASK_READ(task, ...) KERNEL_READ(task_struct, task, __VA_ARGS__)

/*
 * From Linux 5.11 on the running task has a typed pointer, whose fields are read by loads and not
 * by calls. The loader removes the way that the kernel does not have.
 */
#define TASK_TYPED bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)
#define TASK_NOW() ((struct task_struct *)bpf_get_current_task_btf())

/* A field of the running task; @task is its address. */
#define TASK_FIELD(task, field)                                    \
	({                                                         \
		__typeof__(((struct task_struct *)0)->field) now_; \
		if (TASK_TYPED)                                    \
			now_ = TASK_NOW()->field;                  \
		else                                               \
			now_ = TASK_READ(task, field);             \
		now_;                                              \
	})

static __always_inline bool task_in_exec(__u64 task)
{
	const struct task_struct *t = (const struct task_struct *)task;

	if (!bpf_core_field_exists(struct task_struct, in_execve))
		return false;
	if (TASK_TYPED)
		return BPF_CORE_READ_BITFIELD(TASK_NOW(), in_execve);
	return BPF_CORE_READ_BITFIELD_PROBED(t, in_execve);
}

/* TM_FLAG_* of the running task. */
static __always_inline __u32 task_flags(__u64 task)
{
	__u32 kernel = TASK_FIELD(task, flags), flags = 0;

	if (kernel & PF_EXITING)
		flags |= TM_FLAG_EXITING;
	if (kernel & PF_KTHREAD)
		flags |= TM_FLAG_KTHREAD;
	if (kernel & PF_IO_WORKER)
		flags |= TM_FLAG_IO_WORKER;
	if ((kernel & PF_USER_WORKER) &&
	    bpf_core_field_exists(struct kernel_clone_args, user_worker))
		flags |= TM_FLAG_IO_WORKER;
	if (task_in_exec(task))
		flags |= TM_FLAG_IN_EXEC;
	return flags;
}

/*
 * Start of the running task's group leader, 0 if unknown: a thread that has been released from its
 * group (its sighand is gone) may outlive its leader, so it is not followed there.
 */
static __always_inline __u64 task_start(__u64 task)
{
	__u64 leader = (__u64)TASK_FIELD(task, group_leader);

	if (leader == task)
		return TASK_FIELD(task, start_boottime);
	if (!TASK_FIELD(task, sighand))
		return 0;
	return TASK_READ(leader, start_boottime);
}

/* Fills in the ids and flags of the running task, but not the type, length and time. */
static __always_inline void task_describe(__u64 task, struct tm_event *event)
{
	__u64 numbers = bpf_get_current_pid_tgid();

	event->start_boottime = task_start(task);
	event->tgid = (__u32)(numbers >> 32);
	event->tid = (__u32)numbers;
	event->exec_id = (__u32)TASK_FIELD(task, self_exec_id);
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

/* The task's id in the collector's PID namespace; 0 if it is not visible there. */
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

/* struct pt_regs ends with ip, cs, flags, sp, ss; arch/x86/include/asm/ptrace.h */
#define REGISTERS_BYTES 168u
#define REGISTERS_END   40u /* bytes of those five */
#define REGISTERS_PAD   16u /* above all of them where the kernel can use FRED */
#define REGISTERS_BP    32u /* from the start */

/*
 * The user registers of the running task lie at the top of its kernel stack, on some kernels below
 * padding. They are where the privilege bits of both selectors say user mode.
 */
static __always_inline bool task_user_registers(struct kread *block, __u64 task,
						struct user_registers *registers)
{
	__u64 top = (__u64)TASK_FIELD(task, stack) + THREAD_SIZE;
	const __u64 *end = block->words;

	if (!kread_read(block, top - REGISTERS_END - REGISTERS_PAD, REGISTERS_END + REGISTERS_PAD))
		return false;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		__u64 pad = i ? REGISTERS_PAD : 0;
		const __u64 *five = end + (REGISTERS_PAD - pad) / 8;

		registers->cs = five[1] & 0xffff;
		if ((registers->cs & 3) != 3 || (five[4] & 3) != 3)
			continue;
		registers->at = top - pad - REGISTERS_BYTES;
		registers->ip = five[0];
		registers->sp = five[3];
		registers->bp = kread_word(registers->at + REGISTERS_BP);
		return true;
	}
	return false;
}
