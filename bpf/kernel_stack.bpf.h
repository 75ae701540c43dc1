/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * kernel_stack - the kernel stack of a sample
 */

#include "bpf/maps.h"

/* kernel.perf_event_max_stack, set by the collector: the kernel walks no further. 0: not known. */
__u32 kernel_frames_most;

/* @ctx: of the program. The frames go before those of the user stack. A sample in user mode has
 * none. */
static __always_inline void kernel_stack_read(struct scratch *s, void *ctx)
{
	__u32 most = *(volatile __u32 *)&kernel_frames_most;
	long bytes = 0;

	s->sample.kernel_stop = TM_STOP_NONE;
	if (!(s->sample.event.flags & TM_FLAG_USER_MODE))
		bytes = bpf_get_stack(ctx, s->frames, 8 * TM_KERNEL_FRAMES_MAX, 0);
	if (bytes < 0)
		bytes = 0;
	s->walk.first = (__u32)bytes / 8;
	if (s->walk.first >= TM_KERNEL_FRAMES_MAX || (most && s->walk.first >= most))
		s->sample.kernel_stop = TM_STOP_KERNEL_DEPTH;
}
