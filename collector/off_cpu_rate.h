/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * off_cpu_rate - keeps the rate of off-CPU samples at its target, by the length of a stratum
 *
 * A stratum of 2^shift ns has one sample at most (bpf/off_cpu_select.bpf.h). It is doubled as soon
 * as more come than the target, and halved when a quarter of it comes; so on a quiet host every
 * wait is sampled, and a busy one loses precision before it loses samples.
 * Threads    one.
 */

#include <stdint.h>

#define OFF_CPU_RATE_SHIFT_FIRST 24  /* 17 ms */
#define OFF_CPU_RATE_SHIFT_MAX   36  /* 69 s; OFF_CPU_SHIFT_MAX of the BPF side */
#define OFF_CPU_RATE_MS          100 /* between two changes */

struct off_cpu_rate {
	uint32_t target; /* samples a second; 0: off-CPU is off */
	uint32_t shift;
	uint64_t taken; /* at the last change */
	uint64_t lost;
	uint64_t changed_ms;
};

/* @taken: samples so far. @lost: of these, for want of space in a ring. */
void off_cpu_rate_adapt(struct off_cpu_rate *rate, uint64_t taken, uint64_t lost, uint64_t now_ms);
