/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * runs - in whose time the timers of tidemark's perf events went off, counted from outside
 *
 * Use        a timer that goes off runs the sampling program or, where the kernel finds another one at
 *            work, skips it. What the program makes of a run is its affair; nothing that it leaves
 *            out can hide from this count.
 */

#include <linux/types.h>

#define RUNS_PROCESSES_MAX (1 << 19) /* of the whole host: timers go off for everybody */

struct runs_key {   /* a process; its threads count for it, execs make no difference */
	__u32 tgid; /* of the initial PID namespace */
	__u32 pad;
	__u64 start_boottime;
};

#ifndef __bpf__
#include <stdio.h>

struct runs;

/* Of the collector with this process id. NULL: errno says why. */
struct runs *runs_open(const char *collector);
/*
 * Writes `skipped N`, then a line `tgid start fired` for each process. N: timers, of whomever, after
 * which the sampling program did not run, as its run count tells; a timer or two too few, where one
 * went off while both were first read. Return: 0, -ENOSPC (did not count all), -EIO.
 */
int runs_write(struct runs *runs, FILE *out);
void runs_close(struct runs *runs);
#endif
