/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sample_kind - what samples measure: a sample is (kind, count, value)
 *
 * The value is time in ns. On-CPU it is what one tick of the timer stands for: the period that
 * applied to it, which is longer where the governor has lowered the rate. Off-CPU it is the time
 * that the thread waited, scaled by how likely its selection was. Counts and values of different
 * kinds are never added up.
 */

#include <stdint.h>

#include "shared/event.h"

struct sample_sum { /* of one kind */
	uint64_t count;
	uint64_t value; /* ns; of a report at most SAMPLE_VALUE_MAX: more than true times */
};
#define SAMPLE_VALUE_MAX ((uint64_t)INT64_MAX) /* what pprof can hold */

/* Of one kind: what the reader did with the samples of the ring, for as long as it runs: the ns
 * wrap around (accounting.h). */
struct sample_counts {
	struct sample_sum read; /* valid ones */
	struct sample_sum exported;
	struct sample_sum no_memory; /* of those read, dropped for lack of memory */
	uint64_t bad;                /* refused, and of this kind as far as one can say */
};

/* Return: the part of @value that a sum can still take. */
static inline uint64_t sample_sum_space(const struct sample_sum *sum, uint64_t value)
{
	uint64_t space = SAMPLE_VALUE_MAX - sum->value;

	return value < space ? value : space;
}

/* The sum stops at SAMPLE_VALUE_MAX. */
static inline void sample_sum_add(struct sample_sum *sum, uint64_t count, uint64_t value)
{
	sum->count += count;
	sum->value += sample_sum_space(sum, value);
}

/* The sum wraps around. */
static inline void sample_sum_count(struct sample_sum *sum, uint64_t value)
{
	sum->count++;
	sum->value += value;
}
