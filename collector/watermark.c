/* SPDX-License-Identifier: Apache-2.0 */
/* watermark - computes W, the minimum of the marks and of the clock less a guard */

#include "collector/watermark.h"

#include <stdatomic.h>

#include "shared/clock.h"

uint64_t watermark_rule(uint64_t now, const uint64_t *marks, unsigned count)
{
	const uint64_t guard = WATERMARK_GUARD_US * 1000ull;
	uint64_t w = now > guard ? now - guard : 0;

	for (unsigned i = 0; i < count; i++)
		if (marks[i] && marks[i] < w)
			w = marks[i];
	return w;
}

uint64_t watermark_read(const struct tm_cpu_slot *slots, unsigned cpus)
{
	uint64_t w = watermark_rule(tm_clock_ns(), NULL, 0);

	/* M2 -> M1 (bpf/): here the clock is read before the marks, there a mark is written before
	 * the clock is read. A stand-alone fence, since reading a clock is no memory operation. */
	atomic_thread_fence(memory_order_seq_cst);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		for (unsigned level = 0; level < TM_LEVELS_N; level++) {
			const _Atomic uint64_t *mark = (const void *)&slots[cpu].level[level].ktime;
			/* M3 -> P2 (bpfring.c): the rings' positions are read after every mark */
			uint64_t value = atomic_load_explicit(mark, memory_order_acquire);

			if (value && value < w)
				w = value;
		}
	}
	return w;
}
