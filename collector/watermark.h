/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * watermark - the ktime below which no record will come any more (DESIGN 4.3)
 *
 * Proof      a BPF program publishes a mark no later than its record's ktime, then a full barrier, then
 *            reads that ktime. We read the clock, then a full barrier, then the marks, then the
 *            rings' positions. So a record that our drain does not see either has a mark that we
 *            see, or takes its ktime after our clock reading. One that waits behind a record still
 *            being written has neither: so the round keeps the old W while a ring is stopped (round.c).
 * Guard      WATERMARK_GUARD_US covers what is left between two readings of the clock: the NMI-safe clock
 *            may step back by the slew of one timekeeper update (500 ppm of some ms: microseconds), and a
 *            processor may read a mark while it still waits for the time stamp counter.
 *            Measured on 6.18 (tests/integration/programs/clocks.c): slewed by 500 ppm and by a tenth, in 170 million
 *            comparisons on one CPU and across two the clocks were at most 0.3 us apart, never backwards.
 */

#include <stdint.h>

#include "shared/event.h"

#define WATERMARK_GUARD_US 100

/* The rule alone. @marks: 0 says "nothing in the making". */
uint64_t watermark_rule(uint64_t now, const uint64_t *marks, unsigned count);
/* One reading: the clock, the barrier, every mark of @cpus slots. */
uint64_t watermark_read(const struct tm_cpu_slot *slots, unsigned cpus);
