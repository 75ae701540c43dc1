/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * thread_end - the THREAD record of a thread that gives up its CPU for the last time
 */

#include "bpf/selection.bpf.h"
#include "bpf/thread_time.bpf.h"

/* What both kinds of THREAD records have in common. */
static __always_inline void thread_end_fill(struct tm_thread *record,
					    const struct thread_time *time, __u64 seen)
{
	record->seen = seen;
	record->since = time->since;
	__builtin_memcpy(record->ns, time->ns, sizeof(record->ns));
	record->event.type = TM_EVENT_THREAD;
	record->event.bytes = sizeof(*record);
}

static __always_inline __u64 thread_end_seen(const struct thread_time *time)
{
	__u64 sum = 0;

#pragma unroll
	for (int i = 0; i < TM_THREAD_STATES_N; i++)
		sum += time->ns[i];
	return time->since - sum;
}

/* Of the running thread. */
static __always_inline void thread_end(struct thread_time *time, struct tm_cpu_slot *slot,
				       __u64 now)
{
	struct nesting level = {.slot = slot, .cpu = bpf_get_smp_processor_id()};
	struct tm_thread *record;
	bool written = false;

	if (selecting && !time->selected && !selection_holds(bpf_get_current_task()))
		return;
	if (nesting_open(&level, TM_LEVEL_SWITCH) == NESTING_OPEN) {
		record = &level.scratch->announce.thread; /* too large for the BPF stack */
		__builtin_memset(record, 0, sizeof(*record));
		task_describe(bpf_get_current_task(), &record->event);
		thread_end_fill(record, time, thread_end_seen(time));
		record->state = TM_THREAD_STATES_N;
		record->event.cpu = (__u16)level.cpu;
		record->event.ktime = level.ktime;
		bpf_get_current_comm(record->comm, sizeof(record->comm));
		written = nesting_write(record, sizeof(*record), NESTING_SAMPLES, BPF_RB_NO_WAKEUP);
		nesting_close(&level);
	}
	if (!written)
		nesting_add(&slot->off_cpu.seen.ends_lost, 1);
}
