/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * off_cpu_sample - the records of times without a CPU that were chosen
 */

#include "bpf/off_cpu_select.bpf.h"
#include "bpf/sample.bpf.h"
#include "bpf/selection.bpf.h"

/* Set by the collector before load. */
const volatile bool off_cpu_kernel_threads = false;
const volatile __u64 off_cpu_min_ns = 0; /* times outside are neither counted nor sampled */
const volatile __u64 off_cpu_max_ns = ~0ull;

/* A sleep that may have been reported before its end lasts at least twice this (thread_report). */
#define OFF_CPU_COUNTED_NS 500000u

static __always_inline bool off_cpu_excluded(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD && !off_cpu_kernel_threads;
}

/* What was reported of a sleep while it lasted is subtracted from its sample: so there must be one,
 * with all of it. The new `since` was written before: see thread_report.bpf.h. */
static __always_inline bool off_cpu_was_counted(struct thread_time *time)
{
	bool counted;

	nesting_add(&time->ran, 0); /* the barrier */
	counted = *(volatile __u32 *)&time->flags & TM_THREAD_COUNTED;
	time->flags = 0;
	return counted;
}

static __always_inline bool off_cpu_within(__u64 ns)
{
	return ns && ns >= off_cpu_min_ns && ns <= off_cpu_max_ns;
}

/* Counts a time. Return: whether it may be sampled. */
static __always_inline bool off_cpu_count(struct tm_cpu_slot *slot, const struct off_cpu_time *span)
{
	if (!off_cpu_within(span->ns))
		return false;
	slot->off_cpu.seen.times++;
	slot->off_cpu.seen.times_ns += span->ns;
	return true;
}

static __always_inline bool off_cpu_is_certain(struct thread_time *time,
					       const struct off_cpu_time *span)
{
	return thread_time_sleeps((__u32)span->state) && span->ns >= OFF_CPU_COUNTED_NS &&
	       off_cpu_was_counted(time);
}

/* Counts a time of the running thread, and sets its value. */
static __always_inline void off_cpu_choose(struct thread_time *time, struct tm_cpu_slot *slot,
					   struct off_cpu_time *span)
{
	if (!off_cpu_count(slot, span))
		return;
	if (off_cpu_is_certain(time, span))
		span->value = span->ns;
	else
		span->value = off_cpu_value(
			time->ahead ? time->ahead : off_cpu_select(time, span->ns), span->ns);
}

/* Counts samples for which nesting_open() returned @status. */
static __always_inline void off_cpu_lose(struct nesting *level, int status, __u64 count,
					 __u64 value)
{
	struct tm_off_cpu_slot *counts = &level->slot->off_cpu;

	if (status == NESTING_NESTED) {
		counts->nested += count;
		counts->nested_ns += value;
	} else {
		counts->no_ring += count;
		counts->no_ring_ns += value;
	}
}

/* Opens a level for the samples of the running thread. False: they are lost, and counted. */
static __always_inline bool off_cpu_open(struct nesting *level, __u64 count, __u64 value)
{
	int status = nesting_open(level, TM_LEVEL_SWITCH);

	if (status == NESTING_OPEN) {
		sample_head(level, bpf_get_current_task(), ~0ull);
		sample_limits(level->scratch, TM_USER_FRAMES_MAX, UNWIND_TIME_NS, ~0u);
		level->scratch->sample.stack = 0;
		return true;
	}
	off_cpu_lose(level, status, count, value);
	return false;
}

/* Writes a sample of @span with the stack in the scratch memory. */
static __always_inline void off_cpu_write(struct nesting *level, const struct off_cpu_time *span)
{
	struct tm_sample *sample = &level->scratch->sample;
	struct tm_level_counts *counts = &level->scratch->counts;

	if (!span->value)
		return;
	sample->kind = TM_SAMPLE_OFF_CPU;
	sample->state = (__u8)span->state;
	sample->since = span->since;
	sample->duration = span->ns;
	sample->value = span->value;
	counts->off_cpu++;
	counts->off_cpu_ns += span->value;
	if (sample_write(level, NESTING_OFF_CPU))
		return;
	counts->off_cpu_full++;
	counts->off_cpu_full_ns += span->value;
}

/*
 * Of the running thread, one stack for both. They wait in scratch memory, whose values the verifier
 * does not follow: it would verify the walk anew for each pair of values.
 */
static __always_inline void off_cpu_sample(struct nesting *level, void *ctx,
					   const struct off_cpu_time *sleep,
					   const struct off_cpu_time *wait)
{
	if (!off_cpu_open(level, !!sleep->value + !!wait->value, sleep->value + wait->value))
		return;
	level->scratch->times[0] = *sleep;
	level->scratch->times[1] = *wait;
	kernel_stack_read(level->scratch, ctx);
	if (unwind_start_expected(level->scratch) && unwind_start(level, NULL))
		sample_walk(level, SAMPLE_STEPS);
	sample_finish(level);
	off_cpu_write(level, &level->scratch->times[0]);
	off_cpu_write(level, &level->scratch->times[1]);
	sample_methods(level, METHODS_DUE);
	nesting_close(level);
}

/* The wait of the running thread for its first CPU: before it had run, it had no stack. */
static __always_inline void off_cpu_take_first(struct thread_time *time, struct tm_cpu_slot *slot,
					       struct off_cpu_time *span)
{
	struct nesting level = {.slot = slot, .cpu = bpf_get_smp_processor_id()};
	struct tm_sample *sample;

	if ((selecting && !selection_holds(bpf_get_current_task())) || !off_cpu_count(slot, span))
		return;
	span->value = off_cpu_ahead ? off_cpu_select_one(span->ns)
				    : off_cpu_value(off_cpu_select(time, span->ns), span->ns);
	if (!span->value || !off_cpu_open(&level, 1, span->value))
		return;
	sample = &level.scratch->sample;
	sample->kernel_frames = 0;
	sample->user_frames = 0;
	sample->kernel_stop = TM_STOP_NONE;
	sample->user_stop = TM_STOP_NONE;
	off_cpu_write(&level, span);
	nesting_close(&level);
}
