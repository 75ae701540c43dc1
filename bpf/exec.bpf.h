/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * exec - announces the new executable of a selected process, so that its unwind table is there soon
 *
 * That takes the scratch memory of the timer. Its hits meanwhile, which would be lost, are taken
 * afterwards; a wake-up of the collector may take longer than a period.
 * Rate       each costs a reading of its file. So where ever new programs run for an instant, as in
 *            a configure script, they wait for their first sample, if there is one.
 */

#include "bpf/timer.bpf.h"

#define EXEC_BURST 32           /* at once, after which one in */
#define EXEC_NS    500000000ull /* may be announced */
#define EXEC_HITS  16 /* that are taken afterwards; further ones are counted as `nested` */

__u64 exec_ready; /* ktime at which no more than that was announced */

/* Several CPUs at once may announce more. */
static __always_inline bool exec_may(__u64 now)
{
	__u64 ready = *(volatile __u64 *)&exec_ready;

	if (ready > now)
		return false;
	if (now - ready > EXEC_BURST * EXEC_NS)
		ready = now - EXEC_BURST * EXEC_NS;
	*(volatile __u64 *)&exec_ready = ready + EXEC_NS;
	return true;
}

/* A function of its own: the copy of the inode takes most of the BPF stack. */
static __noinline bool exec_is_due(__u64 mm)
{
	struct tm_identity identity;
	struct kread block;
	__u64 now = bpf_ktime_get_ns();

	return announce_executable_is_due(mm, now, &block, &identity) && exec_may(now);
}

/* The ids are those of the new program; the registers are not. */
static __always_inline void exec_announce(struct nesting *level, __u64 task)
{
	struct scratch *s = level->scratch;

	sample_head(level, task, ~0ull);
	sample_limits(s, 0, 0, ~0u);
	mapping_cache_begin(s);
	announce_executable(level->number);
}

static __always_inline __u64 exec_nested(const struct tm_cpu_slot *slot)
{
	return *(const volatile __u64 *)&slot->nested;
}

/* Of each hit since @nested were counted: inside execve there are no user frames. */
static __noinline void exec_samples(struct nesting *level, void *ctx, __u64 nested)
{
	struct scratch *s = level->scratch;

	kernel_stack_read(s, ctx);
	unwind_start_expected(s);
	timer_describe(&s->sample);
	sample_finish(level);
	for (__u32 i = 0; i < EXEC_HITS && exec_nested(level->slot) != nested; i++) {
		s->sample.value = *(volatile __u64 *)&s->nested_value;
		s->counts.taken++;
		nesting_add(&level->slot->nested, -1ull);
		if (!sample_write(level, NESTING_SAMPLES))
			s->counts.ring_full++;
	}
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	__u64 task = bpf_get_current_task(), nested;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot || !selection_holds(task) || !exec_is_due((__u64)TASK_FIELD(task, mm)))
		return 0;
	nested = exec_nested(level.slot);
	if (nesting_open(&level, TM_LEVEL_TIMER) != NESTING_OPEN)
		return 0;
	exec_announce(&level, task);
	if (exec_nested(level.slot) != nested)
		exec_samples(&level, ctx, nested);
	nesting_close(&level);
	return 0;
}
