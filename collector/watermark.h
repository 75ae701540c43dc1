/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * watermark - computes W, the ktime below which no further record will come
 *
 * Where      HACKING, The watermark, has the rule in full.
 * Proof      a BPF program publishes a mark no later than its record's ktime, then a full barrier,
 *            then reads that ktime. We read the clock, then a full barrier, then the marks, then
 *            the rings' positions. So a record that our drain does not see either has a mark that
 *            we see, or takes its ktime after our clock reading. A record behind an unfinished one
 *            has neither, so the round keeps the old W while a ring is blocked (round.c).
 * Guard      WATERMARK_GUARD_US covers the difference of two readings of the clock: the NMI-safe
 *            clock may step back by the slew of one timekeeper update (500 ppm of some ms:
 *            microseconds), and a CPU may read a mark while it still waits for the time stamp
 *            counter. Measured on 6.18 (tests/integration/programs/clocks.c): slewed by 500 ppm and
 *            by a tenth, in 170 million comparisons on one CPU and across two the clocks were at
 *            most 0.3 us apart, never backwards.
 */

#include <stdint.h>

#include "shared/bpf_state.h"

#define WATERMARK_GUARD_US 100

/* The rule alone. @marks: ns; 0: no unfinished record. Return: W. */
uint64_t watermark_rule(uint64_t now, const uint64_t *marks, unsigned count);
/* Reads the clock, then, behind the barrier, every mark of @cpus slots. Return: W. */
uint64_t watermark_read(const struct tm_cpu_slot *slots, unsigned cpus);
