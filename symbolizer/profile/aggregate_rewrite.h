/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_rewrite - gives samples other frames once more is known of them, and forgets their
 * times
 *
 * Samples that are equal then are one, and stacks without a sample are gone. Where there is no
 * memory for a stack, its samples keep the one that they have.
 */

#include "symbolizer/profile/aggregate_entries.h"

/*
 * What a frame of a stack of generation @process becomes. @ktime: of the sample; 0: not known.
 * Return: the frame, or @word.
 */
typedef uint64_t (*aggregate_rewrite_fn)(const void *context, uint32_t process, uint64_t ktime,
					 uint64_t word);

/* Rewrites the frames in anonymous memory. */
void aggregate_rewrite(struct aggregate *aggregate, aggregate_rewrite_fn rewrite,
		       const void *context);
