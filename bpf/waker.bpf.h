/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * waker - the stack of who ends the sleep of a thread
 *
 * Chosen     a sleep is chosen here, as it ends, so that its waker's stack is taken for a sleep
 *            that gets a sample. The sample itself comes later, when the thread has a CPU; where
 *            stacks are taken ahead, the sleep was chosen as it began.
 * Lock       that of the sleeping thread is held. So the limits are those of a stack taken ahead.
 * Interrupt  a thread that was interrupted is taken for the waker here. The symbolizer sees it by
 *            the kernel frames: preempt_count cannot be read without CAP_SYS_ADMIN, for which
 *            libbpf asks where a symbol of one kernel is missing in another one.
 */

#include "bpf/off_cpu_ahead.bpf.h"

/* Chooses the sleep that ends @now. Return: whether its waker's stack is wanted. */
static __always_inline bool waker_choose(struct thread_time *time, const struct task_struct *task,
					 __u64 now)
{
	__u32 state = *(volatile __u8 *)&time->state;
	__u64 ns = now - *(volatile __u64 *)&time->since;

	if (!thread_time_sleeps(state) || (__s64)ns <= 0)
		return false;
	if (off_cpu_ahead)
		return (time->ahead & (AHEAD_CHOSEN | AHEAD_LOST)) == AHEAD_CHOSEN;
	if (!ahead_selected(task) || !off_cpu_within(ns))
		return false;
	time->ahead = (__u16)(OFF_CPU_WAKER_CHOSE | off_cpu_select(time, ns));
	return time->ahead & OFF_CPU_STRATA || *(volatile __u32 *)&time->flags & TM_THREAD_COUNTED;
}

static __always_inline struct thread_time *waker_note(const struct task_struct *task, __u64 now)
{
	struct thread_time *time;

	if (off_cpu_excluded(task))
		return NULL;
	time = thread_time_find((struct task_struct *)task);
	if (!time)
		return NULL;
	time->woken = now;
	return waker_choose(time, task, now) ? time : NULL;
}

/* A function of its own for the same reason as ahead_switch_from. NULL: no stack is wanted. */
static __noinline struct thread_time *waker_wakes(__u64 *ctx, struct tm_cpu_slot *slot)
{
	__u64 now = bpf_ktime_get_ns();
	struct thread_time *time;
	struct nesting_run run;

	nesting_run_begin(&run, slot, now);
	time = waker_note((struct task_struct *)ctx[0], now);
	nesting_run_end(&run, slot);
	return time;
}

/* Return: whether the sample of the waker was begun, up to its stack. */
static __always_inline bool waker_begin(struct nesting *level)
{
	if (nesting_open(level, TM_LEVEL_WAKER) == NESTING_OPEN)
		return true;
	nesting_add(&level->slot->off_cpu.seen.wakers_lost, 1);
	return false;
}

/* Return: whether there is a user stack to walk. */
static __always_inline bool waker_walks(struct nesting *level, void *ctx)
{
	sample_head(level, bpf_get_current_task(), ~0ull);
	sample_limits(level->scratch, AHEAD_FRAMES, AHEAD_TIME_NS, AHEAD_COMPONENTS);
	return ahead_walks(level, ctx);
}

static __noinline void waker_end(__u64 *ctx, struct nesting *level, struct thread_time *time)
{
	const struct task_struct *task = (const struct task_struct *)ctx[0];
	struct tm_sample *sample = &level->scratch->sample;

	sample_finish(level);
	sample->user_stop = ahead_stop(sample->user_stop);
	sample->kind = TM_SAMPLE_WAKER;
	sample->state = TM_THREAD_ON_CPU;
	sample->since = time->since;
	sample->sleeper_start = task->group_leader->start_boottime;
	sample->sleeper_tgid = (__u32)task->tgid;
	sample->sleeper_tid = (__u32)task->pid;
	sample->value = 0;
	if (!sample_write(level, NESTING_OFF_CPU))
		nesting_add(&level->slot->off_cpu.seen.wakers_lost, 1);
	sample_methods(level, AHEAD_METHODS);
	nesting_close(level);
}

SEC("tp_btf/sched_waking")
int on_waking_stack(__u64 *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	struct thread_time *time;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot)
		return 0;
	time = waker_wakes(ctx, level.slot);
	if (!time || !waker_begin(&level))
		return 0;
	if (waker_walks(&level, ctx))
		sample_walk(&level, AHEAD_STEPS);
	waker_end(ctx, &level, time);
	return 0;
}

/* For kernels without bpf_loop (before 5.17). */
SEC("tp_btf/sched_waking")
int on_waking_bounded(__u64 *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	struct thread_time *time;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot)
		return 0;
	time = waker_wakes(ctx, level.slot);
	if (!time || !waker_begin(&level))
		return 0;
	if (waker_walks(&level, ctx))
		sample_walk_bounded(&level, AHEAD_STEPS);
	waker_end(ctx, &level, time);
	return 0;
}
