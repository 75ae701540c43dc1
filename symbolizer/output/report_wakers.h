/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_wakers - the stacks of sleeps with those of who ended them
 *
 * Such a stack is, from the root: the frames of the thread that slept, its state, a frame
 * `[woken by NAME]`, and the frames of the waker. A waker in an interrupt is `[woken in interrupt]`
 * or `[woken in softirq]`. Of the hook that took the stack, up to `try_to_wake_up`, no frame is
 * shown.
 */

#include "symbolizer/output/report_stacks.h"

struct report_wakers_key { /* of a stack: what it is made of */
	uint32_t stack;    /* of the report */
	uint32_t waker_stack, waker_comm;
	uint8_t waker, waker_stop, state, pad;
};

struct report_wakers {
	struct report_stacks *stacks; /* borrowed, as are the next two */
	struct report_frames *frames;
	const struct aggregate *aggregate;
	struct report_wakers_key *keys; /* of the stacks from `first` on */
	struct hash_index lookup;
	uint32_t first;
};

/* Bytes of memory for them, at most. */
uint64_t report_wakers_need(const struct aggregate *aggregate);
/* After report_stacks_init. Return: 0, -ENOMEM. Call report_wakers_deinit either way. */
int report_wakers_init(struct report_wakers *wakers, struct report_stacks *stacks,
		       struct report_frames *frames, const struct aggregate *aggregate);
void report_wakers_deinit(struct report_wakers *wakers);
/*
 * @stack: of the report, the sample's without its waker. Return: the one with its waker; the same
 * one, if there is no memory.
 */
uint32_t report_wakers_stack(struct report_wakers *wakers, const struct aggregate_sample *sample,
			     uint32_t stack);
