/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_merge - makes an aggregate smaller: rare stacks lose their deepest frames
 *
 * Only owners who have more than their share lose (aggregate_owners.h), and all of them only where
 * that is not enough. Of theirs the rarest stacks, which hold half of what can be lost, are cut to
 * a depth from the root that frees enough, and one AGGREGATE_MERGED takes the place of what was
 * there; stacks that have become equal are one then, and so are their samples. If that is not
 * enough, it happens again, with the next ones too, down to stacks that are AGGREGATE_MERGED alone.
 * Where nearly all stacks are, their samples lose the thread (tid 0, AGGREGATE_MERGED_NAME). So
 * what is left of a stack is true, the time below each frame that is left is exact, and so is that
 * of each process, with its samples' kinds, stops and flags.
 *
 * Memory     nothing is allocated but what was charged in advance (arena_spare).
 */

#include "symbolizer/profile/aggregate_entries.h"

/* Frees about a quarter, or what there is. Return: whether anything was freed. */
bool aggregate_merge(struct aggregate *aggregate);
/* The string for the thread that was lost; 0, the empty one, if there is no memory for it. */
uint32_t aggregate_merged_comm(struct aggregate *aggregate);
/* Samples whose stacks lost frames. */
uint64_t aggregate_merged_samples(const struct aggregate *aggregate);
