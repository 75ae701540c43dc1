/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * thread_report - the iterator that tells the collector what every thread does now
 *
 * Output     THREAD records, one behind the other, with kernel frames of threads that sleep. Ended
 *            threads that nobody has waited for are left out.
 * Counted    a sleep that has lasted long is reported before it ends. Then it must end in a sample
 *            of its whole length: the flag says so to the hook that ends it. That hook first
 *            writes `since` and then reads the flag; here the flag is written first and `since`
 *            read then, each with a full barrier between. So if `since` is still the old one, the
 *            hook sees the flag. A flag that comes too late makes the thread's next sleep
 *            certain to be sampled, which changes no sum.
 */

#include "bpf/waker.bpf.h"

__u64 threads_reported;
__u64 off_cpu_end; /* set by the collector: ktime at which the hooks were detached; 0: not yet */

/* One reader at a time: the collector. */
static struct {
	struct tm_thread thread;
	__u64 frames[TM_KERNEL_FRAMES_MAX];
} thread_block;

static __always_inline bool thread_report_selected(__u64 task)
{
	__u64 leader = TASK_READ(task, sighand) ? (__u64)TASK_READ(task, group_leader) : 0;

	return !selecting || (leader && selection_has((__u32)TASK_READ(task, tgid),
						      TASK_READ(leader, start_boottime)));
}

static __always_inline void thread_report_describe(struct tm_event *event, __u64 task, __u64 now)
{
	__u64 leader = TASK_READ(task, sighand) ? (__u64)TASK_READ(task, group_leader) : 0;

	event->cpu = 0;
	event->ktime = now;
	event->start_boottime = leader ? TASK_READ(leader, start_boottime) : 0;
	event->tgid = (__u32)TASK_READ(task, tgid);
	event->tid = (__u32)TASK_READ(task, pid);
	event->exec_id = (__u32)TASK_READ(task, self_exec_id);
	event->flags = TASK_READ(task, flags) & PF_KTHREAD ? TM_FLAG_KTHREAD : 0;
}

/* A thread that was woken, or that has run although no hook saw it yet. @copy: of its state. */
static __always_inline void thread_report_advance(struct thread_time *copy,
						  const struct task_struct *task, __u64 now)
{
	if (thread_time_sleeps(copy->state) && copy->woken >= copy->ran) {
		if (copy->woken > now)
			copy->woken = now;
		if (copy->woken < copy->since)
			copy->woken = copy->since;
		thread_time_add(copy, copy->state, copy->woken - copy->since);
		copy->since = copy->woken;
		copy->state = TM_THREAD_RUNNABLE;
	}
	if (copy->state == TM_THREAD_NEW && task->se.sum_exec_runtime)
		(void)off_cpu_first(copy, task, now);
}

static __always_inline __u32 thread_report_count(struct thread_time *time,
						 const struct thread_time *copy, __u64 now)
{
	__u64 stratum = 1ull << off_cpu_strata(), ns = now - copy->since;

	if (!thread_time_sleeps(copy->state) || ns < stratum || ns < 2 * OFF_CPU_COUNTED_NS ||
	    ns < off_cpu_min_ns || off_cpu_max_ns < TM_OFF_CPU_VALUE_MAX)
		return 0;
	*(volatile __u32 *)&time->flags = TM_THREAD_COUNTED;
	nesting_add(&threads_reported, 1); /* the barrier */
	return *(volatile __u64 *)&time->since == copy->since ? TM_THREAD_COUNTED : 0;
}

static __always_inline __u32 thread_report_stack(const struct thread_time *copy,
						 struct task_struct *task)
{
	long bytes = 0;

	if (thread_time_sleeps(copy->state))
		bytes = bpf_get_task_stack(task, thread_block.frames, sizeof(thread_block.frames),
					   0);
	return bytes > 0 ? (__u32)bytes / 8 : 0;
}

SEC("iter/task")
int report_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct tm_thread *record = &thread_block.thread;
	struct thread_time *time, copy;
	__u64 now, bytes;

	if (!task || off_cpu_excluded(task) || !thread_report_selected((__u64)task))
		return 0;
	time = thread_time_find(task);
	if (!time || !time->since || thread_time_kernel_state(task) & THREAD_DEAD)
		return 0;
	copy = *time;
	now = off_cpu_end ? off_cpu_end : bpf_ktime_get_ns();
	if (now < copy.since)
		now = copy.since;
	thread_report_advance(&copy, task, now);
	thread_end_fill(record, &copy, thread_end_seen(&copy));
	thread_report_describe(&record->event, (__u64)task, now);
	bpf_probe_read_kernel(record->comm, sizeof(record->comm), task->comm);
	record->state = (__u16)copy.state;
	record->flags = thread_report_count(time, &copy, now);
	record->kernel_frames = (__u16)thread_report_stack(&copy, task);
	bytes = sizeof(*record) + 8ull * record->kernel_frames;
	record->event.bytes = (__u32)bytes;
	kread_opaque(bytes);
	if (bytes <= sizeof(thread_block))
		bpf_seq_write(ctx->meta->seq, record, (__u32)bytes);
	return 0;
}
