/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * off_cpu - the scheduler's hooks: the states of threads, and samples of their times without a CPU
 *
 * A stack is taken when the thread has a CPU again, in its own context: at the switch to it its
 * memory cannot be read yet. A sleep and the wait for a CPU that follows it are two samples.
 */

#include "bpf/off_cpu_sample.bpf.h"
#include "bpf/thread_end.bpf.h"

/* Set by the collector before load: the hook passes the state of the thread (from Linux 5.18). */
const volatile bool switch_has_state = true;

/*
 * No hook sees a thread get its first CPU: so what it ran until its first switch is taken from the
 * scheduler, and what is left of the time since it was made was its wait. Return: the wait, ns.
 */
static __always_inline __u64 off_cpu_first(struct thread_time *time, const struct task_struct *task,
					   __u64 now)
{
	__u64 all = now - time->since, ran = task->se.sum_exec_runtime;

	if (ran > all)
		ran = all;
	thread_time_add(time, TM_THREAD_NEW, all - ran);
	time->since = now - ran;
	time->ran = time->since;
	time->state = TM_THREAD_ON_CPU;
	return all - ran;
}

/* The thread leaves its CPU, in @state. */
static __always_inline void off_cpu_leave(struct thread_time *time, struct tm_cpu_slot *slot,
					  const struct task_struct *task, __u32 state, __u64 now)
{
	struct off_cpu_time first = {.state = TM_THREAD_NEW, .since = time->since};

	if (!time->since)
		thread_time_begin(time, TM_THREAD_ON_CPU, now);
	if (time->state == TM_THREAD_NEW) {
		first.ns = off_cpu_first(time, task, now);
		off_cpu_take_first(time, slot, &first);
	}
	thread_time_add(time, time->state, now - time->since);
	thread_time_set(time, state, now);
}

/* The thread that gives up its CPU at a context switch, unless it has ended. */
static __always_inline struct thread_time *off_cpu_switch_from(__u64 *ctx, struct tm_cpu_slot *slot,
							       __u64 now)
{
	const struct task_struct *prev = (const struct task_struct *)ctx[1];
	struct thread_time *time;
	__u32 kernel;

	if (!prev->pid || off_cpu_excluded(prev))
		return NULL;
	kernel = switch_has_state ? (__u32)ctx[3] : thread_time_kernel_state(prev);
	time = thread_time_at_switch((struct task_struct *)ctx[1]);
	if (!time) {
		slot->off_cpu.seen.untracked++;
		return NULL;
	}
	off_cpu_leave(time, slot, prev, thread_time_state(prev, ctx[0], kernel), now);
	if (ctx[0] || !(kernel & THREAD_DEAD))
		return time;
	thread_end(time, slot, now);
	thread_time_end(prev);
	return NULL;
}

SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	struct tm_cpu_slot *slot = nesting_slot(bpf_get_smp_processor_id());
	__u64 now = bpf_ktime_get_ns();
	struct nesting_run run;

	if (!slot)
		return 0;
	nesting_run_begin(&run, slot, now);
	slot->switched = now;
	off_cpu_switch_from(ctx, slot, now);
	nesting_run_end(&run, slot);
	return 0;
}

/* The times of a thread begin when it is made: it may wait long for its first CPU. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_new_thread, struct task_struct *parent, struct task_struct *child)
{
	struct thread_time *time;

	if (off_cpu_excluded(child))
		return 0;
	time = thread_time_make(child);
	if (!time)
		return 0;
	thread_time_begin(time, TM_THREAD_NEW, bpf_ktime_get_ns());
	time->selected =
		selecting && selection_has((__u32)child->tgid, child->group_leader->start_boottime);
	return 0;
}

/* Runs at the start: threads that sleep now are known, and their sleep counts from now on. */
SEC("iter/task")
int find_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_time *time;

	if (!task || off_cpu_excluded(task))
		return 0;
	time = thread_time_make(task);
	/* A thread that leaves its CPU at this moment is thought to have stayed: off_cpu_left. */
	if (time && !time->since)
		thread_time_begin(time, thread_time_found(task), bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct tm_cpu_slot *slot = nesting_slot(bpf_get_smp_processor_id());
	__u64 now = bpf_ktime_get_ns();
	struct thread_time *time;
	struct nesting_run run;

	if (!slot || off_cpu_excluded(task))
		return 0;
	nesting_run_begin(&run, slot, now);
	time = thread_time_find(task);
	if (time)
		time->woken = now;
	nesting_run_end(&run, slot);
	return 0;
}

/* Cuts the time without a CPU, which ends at @end, where the thread was woken. */
static __always_inline void off_cpu_split(const struct thread_time *time, __u64 end,
					  struct off_cpu_time *sleep, struct off_cpu_time *wait)
{
	__u64 woken = time->woken;

	wait->since = time->since;
	wait->state = time->state;
	if (thread_time_sleeps(time->state)) {
		if (woken > end || woken < time->ran)
			woken = end;
		if (woken < time->since)
			woken = time->since;
		sleep->since = time->since;
		sleep->state = time->state;
		sleep->ns = woken - time->since;
		wait->since = woken;
		wait->state = TM_THREAD_RUNNABLE;
	}
	wait->ns = end - wait->since;
}

/* Whether the thread was seen to leave the CPU before the one that it has now. Some that leave it
 * as find_threads meets them are not: when they left is not known, and no sample says it. */
static __always_inline bool off_cpu_left(struct tm_cpu_slot *slot, const struct thread_time *time)
{
	if (!time || !time->since || time->state == TM_THREAD_NEW)
		return false;
	slot->off_cpu.seen.untracked += time->state == TM_THREAD_ON_CPU;
	return time->state != TM_THREAD_ON_CPU;
}

/* The thread has a CPU again. */
static __always_inline void off_cpu_resume(struct thread_time *time, __u64 end,
					   struct off_cpu_time *sleep, struct off_cpu_time *wait)
{
	off_cpu_split(time, end, sleep, wait);
	thread_time_add(time, sleep->state, sleep->ns);
	thread_time_add(time, wait->state, wait->ns);
	time->since = end;
	time->ran = end;
	time->state = TM_THREAD_ON_CPU;
}

/* Behind a sleep is a wait for a CPU, however short, unless no waking was seen. */
static __always_inline void off_cpu_count_unseen(struct tm_cpu_slot *slot,
						 const struct off_cpu_time *sleep,
						 const struct off_cpu_time *wait)
{
	if (!wait->ns)
		slot->off_cpu.seen.unseen_ns += sleep->ns;
}

/* The running thread has a CPU since @end. */
static __always_inline void off_cpu_switch_to(struct nesting *level, __u64 *ctx, __u64 end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct off_cpu_time sleep = {}, wait = {};
	struct thread_time *time;

	if (!task->pid || off_cpu_excluded(task))
		return;
	time = thread_time_find(task);
	if (!off_cpu_left(level->slot, time))
		return;
	if (end < time->since)
		end = time->since;
	off_cpu_resume(time, end, &sleep, &wait);
	if (selecting && !selection_holds((__u64)task))
		return;
	time->selected = 1;
	off_cpu_count_unseen(level->slot, &sleep, &wait);
	off_cpu_choose(time, level->slot, &sleep);
	time->ahead = 0;
	off_cpu_choose(time, level->slot, &wait);
	if (sleep.value | wait.value)
		off_cpu_sample(level, ctx, &sleep, &wait);
}

SEC("tp_btf/sched_exit_tp")
int on_switched(__u64 *ctx)
{
	struct nesting level = {};
	struct nesting_run run;
	__u64 now, end;

	level.cpu = bpf_get_smp_processor_id();
	level.slot = nesting_slot(level.cpu);
	if (!ctx[0] /* no switch */ || !level.slot)
		return 0;
	now = bpf_ktime_get_ns();
	nesting_run_begin(&run, level.slot, now);
	end = level.slot->switched;
	level.slot->switched = 0;
	off_cpu_switch_to(&level, ctx, end ? end : now); /* 0: no program saw who left the CPU */
	nesting_run_end(&run, level.slot);
	return 0;
}
