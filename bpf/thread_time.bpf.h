/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * thread_time - where the time of each thread goes: the state it is in, since when, and sums
 *
 * State      lies in task storage, so it is freed with the thread and follows it from CPU to CPU.
 * Made       when a thread is made, and for those alive at the start by an iterator; at a context
 *            switch only where the kernel can take memory there (6.4).
 * Writers    the scheduler's hooks on the thread's own CPU, and sched_waking, which writes `woken`
 *            and, of a thread that sleeps, what chooses its sleep: until that hook has ended, the
 *            thread gets no CPU.
 * Waking     may come before the thread's switch-out: its waker waits for the run queue's lock
 *            then. So a waking since the thread was last given a CPU ended its sleep; if it is
 *            older than the switch-out, the thread did not sleep at all. Without one (the kernel
 *            does not run a program that it interrupted) all of the time counts as sleep, and is
 *            counted.
 */

#include "bpf/task.bpf.h"

/* Set by the collector: there is no hook behind a context switch (off_cpu_ahead.bpf.h). */
const volatile bool off_cpu_ahead = false;

/* The value of one thread. The thread was seen first at `since` minus the sum of ns[]. */
struct thread_time {
	__u64 since;                  /* ktime at which `state` began; 0: not seen yet */
	__u64 woken;                  /* ktime of the last sched_waking */
	__u64 ran;                    /* ktime at which it was last given a CPU */
	__u64 ns[TM_THREAD_STATES_N]; /* by state, without the time since `since` */
	union {
		struct {
			__u32 position; /* in its stratum (off_cpu_select.bpf.h), */
			__u32 point;    /* and what selects there */
		};
		__u64 usual; /* ns that its waits last (off_cpu_ahead.bpf.h); 0: had none */
	};
	__u32 flags; /* TM_THREAD_* */
	__u16 ahead; /* AHEAD_*; else OFF_CPU_WAKER_CHOSE with its choice, or 0 */
	__u8 state;  /* enum tm_thread_state */
	/* 1: it was found to be in the selection. One that has ended cannot be looked up: it has no
	 * group leader any more. */
	__u8 selected;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread_time);
} thread_times SEC(".maps");

/* For kernels without task storage for these programs (before 5.13); set by the collector. */
const volatile bool times_in_hash = false;

struct thread_key {
	__u32 tid;
	__u32 pad;
	__u64 start_boottime; /* of the thread */
};

#define THREADS_HASHED 20000 /* 4 MiB; what runs beyond is counted as untracked */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS_HASHED);
	__type(key, struct thread_key);
	__type(value, struct thread_time);
} thread_hash SEC(".maps");

/* include/linux/sched.h */
#define THREAD_INTERRUPTIBLE   0x0001u
#define THREAD_UNINTERRUPTIBLE 0x0002u
#define THREAD_STOPPED         0x0004u
#define THREAD_TRACED          0x0008u
#define THREAD_DEAD            0x0080u
#define THREAD_NOLOAD          0x0400u
#define THREAD_SCHED_YIELD     24u  /* arch/x86/entry/syscalls/syscall_64.tbl */
#define THREAD_ORIG_AX         120u /* of struct pt_regs */

static const struct thread_time thread_time_fresh; /* too large for the BPF stack */

static __always_inline struct thread_time *thread_time_hashed(const struct task_struct *task,
							      bool make)
{
	struct thread_key key = {.tid = (__u32)task->pid, .start_boottime = task->start_boottime};

	if (make)
		bpf_map_update_elem(&thread_hash, &key, &thread_time_fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&thread_hash, &key);
}

static __always_inline struct thread_time *thread_time_find(struct task_struct *task)
{
	if (times_in_hash)
		return thread_time_hashed(task, false);
	return bpf_task_storage_get(&thread_times, task, NULL, 0);
}

static __always_inline struct thread_time *thread_time_make(struct task_struct *task)
{
	if (times_in_hash)
		return thread_time_hashed(task, true);
	return bpf_task_storage_get(&thread_times, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Task storage goes with its task. */
static __always_inline void thread_time_end(const struct task_struct *task)
{
	struct thread_key key = {.tid = (__u32)task->pid, .start_boottime = task->start_boottime};

	if (times_in_hash)
		bpf_map_delete_elem(&thread_hash, &key);
}

/* Under a run queue's lock memory must come from a pool of the map's own. */
static __always_inline struct thread_time *thread_time_at_switch(struct task_struct *task)
{
	if (times_in_hash || bpf_core_field_exists(struct bpf_local_storage_map, storage_ma) ||
	    bpf_core_field_exists(struct bpf_local_storage_map, use_kmalloc_nolock))
		return thread_time_make(task);
	return thread_time_find(task);
}

/* A waker reads the state first (waker.bpf.h): so one that sleeps has its own beginning. */
static __always_inline void thread_time_set(struct thread_time *time, __u32 state, __u64 now)
{
	*(volatile __u64 *)&time->since = now;
	*(volatile __u8 *)&time->state = (__u8)state;
}

static __always_inline void thread_time_begin(struct thread_time *time, __u32 state, __u64 now)
{
	if (!off_cpu_ahead) {
		time->position = bpf_get_prandom_u32();
		time->point = bpf_get_prandom_u32();
	}
	time->ran = now; /* at the latest: it was not woken since */
	thread_time_set(time, state, now);
}

static __always_inline void thread_time_add(struct thread_time *time, __u64 state, __u64 ns)
{
	kread_opaque(state);
	if (state < TM_THREAD_STATES_N)
		time->ns[state] += ns;
}

/* Of a thread that can run but does not. */
static __always_inline __u32 thread_time_running(const struct task_struct *task, bool preempt)
{
	__u64 registers = (__u64)task->stack + THREAD_SIZE - REGISTERS_BYTES;

	if (preempt || task->flags & PF_KTHREAD)
		return TM_THREAD_PREEMPTED;
	return kread_word(registers + THREAD_ORIG_AX) == THREAD_SCHED_YIELD ? TM_THREAD_YIELDED
									    : TM_THREAD_PREEMPTED;
}

/* Of a thread that leaves its CPU; @kernel: its task state. */
static __always_inline __u32 thread_time_state(const struct task_struct *task, bool preempt,
					       __u32 kernel)
{
	if (preempt || !kernel)
		return thread_time_running(task, preempt);
	if (kernel & (THREAD_STOPPED | THREAD_TRACED))
		return TM_THREAD_STOPPED;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return TM_THREAD_IO_WAIT;
	if (kernel & THREAD_UNINTERRUPTIBLE && !(kernel & THREAD_NOLOAD))
		return TM_THREAD_UNINTERRUPTIBLE;
	return TM_THREAD_INTERRUPTIBLE;
}

static __always_inline bool thread_time_sleeps(__u32 state)
{
	return state >= TM_THREAD_INTERRUPTIBLE && state <= TM_THREAD_STOPPED;
}

static __always_inline __u32 thread_time_kernel_state(const struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct, __state))
		return task->__state;
	return (__u32)((const struct task_struct___5_13 *)task)->state;
}

/* Of a thread that was alive before the hooks. */
static __always_inline __u32 thread_time_found(const struct task_struct *task)
{
	__u32 kernel = thread_time_kernel_state(task);

	if (task->on_cpu)
		return TM_THREAD_ON_CPU;
	return kernel ? thread_time_state(task, false, kernel) : TM_THREAD_RUNNABLE;
}
