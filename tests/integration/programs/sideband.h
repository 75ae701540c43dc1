/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sideband - what the kernel's own perf events tell of births, execs, mappings and deaths
 *
 * Use        a second opinion on who was what when; nothing of tidemark takes part. One dummy event
 *            per CPU, times of CLOCK_MONOTONIC; records as in linux/perf_event.h, each closed by
 *            pid, tid (u32) and time (u64).
 */

#include <stdio.h>

struct sideband;

/* On all CPUs that are online. NULL: errno says why. */
struct sideband *sideband_open(void);
/* Appends what has come since to @out. Return: 0, -EIO. */
int sideband_drain(struct sideband *sideband, FILE *out);
/*
 * Whether a CPU went away meanwhile: what came after on it was not reported, even when it was
 * back.
 */
int sideband_blind(const struct sideband *sideband);
void sideband_close(struct sideband *sideband);
