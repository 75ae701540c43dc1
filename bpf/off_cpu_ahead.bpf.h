/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * off_cpu_ahead - off-CPU samples on kernels that run no program behind a context switch
 *
 * Stack      is taken as the thread gives up its CPU, when its user memory can still be read. Its
 *            time is not known yet, so the thread is chosen by what its waits usually last: one of
 *            `weight` waits, whose samples then stand for `weight` times their lengths.
 * Lock       the run queue's is held. So a stack has few frames and little time, and the paths of
 *            its announcements have few components; what has more is announced by another sample.
 */

#include "bpf/off_cpu.bpf.h"

#define AHEAD_FRAMES     256u
#define AHEAD_STEPS      (2 * AHEAD_FRAMES) /* as SAMPLE_STEPS */
#define AHEAD_TIME_NS    50000u
#define AHEAD_METHODS    1u
#define AHEAD_COMPONENTS 64u
#define AHEAD_USUAL_NS   16000000u /* of a thread that has not waited yet: at the start, certain */
#define AHEAD_WEIGHT_MAX 1000u

/* thread_time.ahead: */
#define AHEAD_CHOSEN       (1u << 0)
#define AHEAD_LOST         (1u << 1) /* its stack found no space */
#define AHEAD_WEIGHT_SHIFT 2

static __always_inline __u32 ahead_weight(const struct thread_time *time)
{
	__u64 usual = time->usual ? time->usual : AHEAD_USUAL_NS;
	__u64 weight = (1ull << off_cpu_strata()) / usual;

	if (weight > AHEAD_WEIGHT_MAX)
		weight = AHEAD_WEIGHT_MAX;
	return weight ? (__u32)weight : 1;
}

/* Whether the wait of the running thread that begins now is chosen: its head is written then. */
static __always_inline bool ahead_begin(struct nesting *level, struct thread_time *time)
{
	__u32 weight = ahead_weight(time);

	time->ahead = 0;
	if (bpf_get_prandom_u32() % weight ||
	    (selecting && !selection_holds(bpf_get_current_task())))
		return false;
	time->selected = 1;
	time->ahead = (__u16)(AHEAD_CHOSEN | weight << AHEAD_WEIGHT_SHIFT);
	if (nesting_open(level, TM_LEVEL_SWITCH) == NESTING_OPEN) {
		sample_head(level, bpf_get_current_task(), ~0ull);
		sample_limits(level->scratch, AHEAD_FRAMES, AHEAD_TIME_NS, AHEAD_COMPONENTS);
		return true;
	}
	time->ahead |= AHEAD_LOST;
	return false;
}

static __always_inline bool ahead_walks(struct nesting *level, void *ctx)
{
	kernel_stack_read(level->scratch, ctx);
	return unwind_start_expected(level->scratch) && unwind_start(level, NULL);
}

/* The limits of these stacks have a reason of their own. */
static __always_inline __u8 ahead_stop(__u8 stop)
{
	return stop == TM_STOP_DEPTH || stop == TM_STOP_TIME ? TM_STOP_AHEAD : stop;
}

static __always_inline void ahead_end(struct nesting *level, struct thread_time *time)
{
	struct tm_sample *sample = &level->scratch->sample;

	sample_finish(level);
	sample->user_stop = ahead_stop(sample->user_stop);
	sample->kind = TM_SAMPLE_OFF_CPU;
	sample->state = (__u8)time->state;
	sample->since = time->since;
	sample->stack = time->since;
	sample->duration = sample->value = 0;
	if (!sample_write(level, NESTING_OFF_CPU))
		time->ahead |= AHEAD_LOST;
	sample_methods(level, AHEAD_METHODS);
	nesting_close(level);
}

/* A sleep that was reported before its end stands for itself, and has a sample always. */
static __always_inline void ahead_value(struct thread_time *time, struct tm_cpu_slot *slot,
					__u32 ahead, struct off_cpu_time *span)
{
	if (!off_cpu_count(slot, span))
		return;
	if (off_cpu_is_certain(time, span))
		span->value = span->ns;
	else if (ahead & AHEAD_CHOSEN)
		span->value = span->ns * (ahead >> AHEAD_WEIGHT_SHIFT);
}

static __always_inline bool ahead_selected(const struct task_struct *task)
{
	return !selecting || selection_has((__u32)task->tgid, task->group_leader->start_boottime);
}

/* The head of a sample without frames, of a thread that does not run yet. */
static __always_inline void ahead_head(struct nesting *level, const struct task_struct *task,
				       __u64 stack)
{
	struct tm_sample *sample = &level->scratch->sample;

	sample->event.type = TM_EVENT_SAMPLE;
	sample->event.cpu = (__u16)level->cpu;
	sample->event.ktime = level->ktime;
	sample->event.start_boottime = task->group_leader->start_boottime;
	sample->event.tgid = (__u32)task->tgid;
	sample->event.tid = (__u32)task->pid;
	sample->event.exec_id = (__u32)task->self_exec_id;
	sample->event.flags = task->flags & PF_KTHREAD ? TM_FLAG_KTHREAD : 0;
	bpf_probe_read_kernel(sample->comm, sizeof(sample->comm), task->comm);
	sample->kernel_frames = 0;
	sample->user_frames = 0;
	sample->kernel_stop = TM_STOP_NONE;
	sample->user_stop = TM_STOP_NONE;
	sample->stack = stack;
}

static __always_inline void ahead_write(struct nesting *level, const struct task_struct *task,
					__u32 ahead, const struct off_cpu_time *sleep,
					const struct off_cpu_time *wait)
{
	struct tm_level_counts *counts;
	int status = nesting_open(level, TM_LEVEL_SWITCH);

	if (status != NESTING_OPEN) {
		off_cpu_lose(level, status, !!sleep->value + !!wait->value,
			     sleep->value + wait->value);
		return;
	}
	counts = &level->scratch->counts;
	if (ahead & AHEAD_LOST) {
		counts->off_cpu += !!sleep->value + !!wait->value;
		counts->off_cpu_ns += sleep->value + wait->value;
		counts->off_cpu_full += !!sleep->value + !!wait->value;
		counts->off_cpu_full_ns += sleep->value + wait->value;
	} else {
		ahead_head(level, task, sleep->since ? sleep->since : wait->since);
		off_cpu_write(level, sleep);
		off_cpu_write(level, wait);
	}
	nesting_close(level);
}

/* Both ends of a switch are functions of their own: so their variables take none of the BPF stack
 * that the walk needs. */
static __noinline struct thread_time *ahead_switch_from(__u64 *ctx, struct tm_cpu_slot *slot,
							__u64 now)
{
	return off_cpu_switch_from(ctx, slot, now);
}

/* The thread that is given the CPU. */
static __noinline void ahead_switch_to(__u64 *ctx, struct nesting *level, __u64 now)
{
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct off_cpu_time sleep = {}, wait = {};
	struct thread_time *time;
	__u64 usual;

	if (!next->pid || off_cpu_excluded(next))
		return;
	time = thread_time_find(next);
	if (!off_cpu_left(level->slot, time))
		return;
	if (now < time->since)
		now = time->since;
	off_cpu_resume(time, now, &sleep, &wait);
	usual = time->usual ? time->usual : sleep.ns + wait.ns;
	time->usual = (3 * usual + sleep.ns + wait.ns) / 4 + 1;
	if (!ahead_selected(next))
		return;
	off_cpu_count_unseen(level->slot, &sleep, &wait);
	ahead_value(time, level->slot, time->ahead, &sleep);
	ahead_value(time, level->slot, time->ahead, &wait);
	if (sleep.value | wait.value)
		ahead_write(level, next, time->ahead, &sleep, &wait);
}

SEC("tp_btf/sched_switch")
int on_switch_ahead(__u64 *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	__u64 now = bpf_ktime_get_ns();
	struct thread_time *time;
	struct nesting_run run;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot)
		return 0;
	nesting_run_begin(&run, level.slot, now);
	time = ahead_switch_from(ctx, level.slot, now);
	if (time && ahead_begin(&level, time)) {
		if (ahead_walks(&level, ctx))
			sample_walk(&level, AHEAD_STEPS);
		ahead_end(&level, time);
	}
	ahead_switch_to(ctx, &level, now);
	nesting_run_end(&run, level.slot);
	return 0;
}

/* For kernels without bpf_loop (before 5.17). */
SEC("tp_btf/sched_switch")
int on_switch_bounded(__u64 *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	__u64 now = bpf_ktime_get_ns();
	struct thread_time *time;
	struct nesting_run run;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot)
		return 0;
	nesting_run_begin(&run, level.slot, now);
	time = ahead_switch_from(ctx, level.slot, now);
	if (time && ahead_begin(&level, time)) {
		if (ahead_walks(&level, ctx))
			sample_walk_bounded(&level, AHEAD_STEPS);
		ahead_end(&level, time);
	}
	ahead_switch_to(ctx, &level, now);
	nesting_run_end(&run, level.slot);
	return 0;
}
