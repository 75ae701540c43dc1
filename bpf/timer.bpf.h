/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * timer - the sample that each hit of a CPU's timer takes
 */

#include <linux/bpf_perf_event.h>

#include "bpf/owner_time.bpf.h"
#include "bpf/sample.bpf.h"
#include "bpf/selection.bpf.h"

struct sampling {
	struct nesting level;
	__u64 value; /* of the sample */
	bool walk;   /* there is a user stack to walk */
};

/*
 * What this hit stands for. The context does not know: its sample_period stays the one that the
 * event was opened with.
 */
static __always_inline __u64 sample_value(struct tm_cpu_slot *slot)
{
	__u64 next = *(volatile __u64 *)&slot->next_ns;

	if (!next)
		return *(volatile __u64 *)&slot->weight_ns;
	*(volatile __u64 *)&slot->next_ns = 0;
	return next;
}

/* What the walk of a sample may take: a quarter of the period. That of the context is the first
 * one, which applies unless the slot has another. */
static __always_inline __u64 sample_time_most(const struct tm_cpu_slot *slot,
					      const struct bpf_perf_event_data *ctx)
{
	__u64 period = *(const volatile __u64 *)&slot->weight_ns;

	if (!period)
		period = ctx->sample_period;
	return period / 4 < UNWIND_TIME_NS ? period / 4 : UNWIND_TIME_NS;
}

/* Whether this hit is taken. If its owners are thinned, the one that is stands for several. */
static __always_inline bool sample_is_taken(struct sampling *sampling,
					    const struct bpf_perf_event_data *ctx)
{
	struct scratch *s = sampling->level.scratch;
	int shift;

	s->thinning.most = *(volatile __u64 *)&owner_time_most;
	if (!s->thinning.most)
		return true;
	shift = owner_time_take(sampling->level.number);
	if (shift < 0)
		return false;
	if (shift > 0)
		sampling->value = (sampling->value ? sampling->value : ctx->sample_period)
				  << (shift & 7);
	return true;
}

/* Up to the leaf of the user stack. False: this run of the program makes no sample. */
static __always_inline bool sample_begin(struct sampling *sampling, struct bpf_perf_event_data *ctx)
{
	__u64 task = bpf_get_current_task();
	struct nesting *level = &sampling->level;
	int status;

	level->cpu = bpf_get_smp_processor_id();
	level->slot = nesting_slot(level->cpu);
	if (!level->slot)
		return false;
	nesting_add(&level->slot->hits, 1);
	sampling->value = sample_value(level->slot);
	if (!(__u32)bpf_get_current_pid_tgid())
		return false;
	if (selecting && !selection_holds(task))
		return false;
	status = nesting_open(level, TM_LEVEL_TIMER);
	if (status == NESTING_NESTED) {
		nesting_add(&level->slot->nested, 1);
		level->scratch->nested_value = sampling->value; /* exec.bpf.h may take it */
		return false;
	}
	if (status == NESTING_NO_RING) {
		nesting_add(&level->slot->no_ring, 1);
		return false;
	}
	sample_head(level, task, ctx->regs.rip);
	if (!sample_is_taken(sampling, ctx)) {
		level->scratch->counts.bpf.thinned++;
		nesting_close(level);
		return false;
	}
	level->scratch->counts.taken++;
	sample_limits(level->scratch, TM_USER_FRAMES_MAX, sample_time_most(level->slot, ctx), ~0u);
	kernel_stack_read(level->scratch, ctx);
	sampling->walk = unwind_start_expected(level->scratch) && unwind_start(level, ctx);
	return true;
}

static __always_inline void timer_describe(struct tm_sample *sample)
{
	sample->kind = TM_SAMPLE_ON_CPU;
	sample->state = TM_THREAD_ON_CPU;
	sample->since = sample->duration = sample->stack = 0;
}

static __always_inline void sample_end(struct sampling *sampling)
{
	struct nesting *level = &sampling->level;
	struct tm_sample *sample = &level->scratch->sample;

	timer_describe(sample);
	sample->value = sampling->value;
	sample_finish(level);
	if (!sample_write(level, NESTING_SAMPLES))
		level->scratch->counts.ring_full++;
	sample_methods(level, METHODS_DUE);
	if (level->scratch->thinning.most)
		owner_time_charge(level->number);
	nesting_close(level);
}

SEC("perf_event")
int sample_loop(struct bpf_perf_event_data *ctx)
{
	struct sampling sampling = {};

	if (!sample_begin(&sampling, ctx))
		return 0;
	if (sampling.walk)
		sample_walk(&sampling.level, SAMPLE_STEPS);
	sample_end(&sampling);
	return 0;
}

/* For kernels without bpf_loop (before 5.17). */
SEC("perf_event")
int sample_bounded(struct bpf_perf_event_data *ctx)
{
	struct sampling sampling = {};

	if (!sample_begin(&sampling, ctx))
		return 0;
	if (sampling.walk)
		sample_walk_bounded(&sampling.level, BOUNDED_FRAMES);
	sample_end(&sampling);
	return 0;
}
