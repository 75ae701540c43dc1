/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * timer_hits - in whose time the timers of tidemark's perf events went off, counted from outside
 *
 * Use        a timer that goes off runs the sampling program or, where the kernel finds another
 *            one at work, skips it. What the program makes of a run is its affair; nothing that it
 *            leaves out can hide from this count.
 */

#include <linux/types.h>

#define TIMER_HITS_PROCESSES_MAX (1 << 19) /* of the whole host: timers go off for everybody */

struct timer_hits_key { /* a process; its threads count for it, execs make no difference */
	__u32 tgid;     /* of the initial PID namespace */
	__u32 pad;
	__u64 start_boottime;
};

struct timer_hits_process {
	__u64 fired;
	__u32 own_tgid; /* of the PID namespace of who counts; 0: it is not in there */
	__u32 pad;
};

#ifndef __bpf__
#include <stdio.h>

struct timer_hits;

/*
 * Of the collector with this process id. @process: whose hits timer_hits_now counts, by its id in
 * the caller's PID namespace; 0: everybody's. NULL: errno says why.
 */
struct timer_hits *timer_hits_open(const char *collector, __u32 process);
/*
 * @ret_hits: so far, in tasks that are not idle; @ret_skipped: of everybody's, as
 * timer_hits_write has it.
 */
void timer_hits_now(const struct timer_hits *timers, __u64 *ret_hits, __u64 *ret_skipped);
/*
 * Writes `skipped N`, then a line `tgid start fired own_tgid` for each process. N: timers, of
 * whomever, after which the sampling program did not run, as its run count tells; a timer or two
 * too few, where one went off while both were first read.
 * Return: 0, -ENOSPC (did not count all), -EIO.
 */
int timer_hits_write(struct timer_hits *timers, FILE *out);
void timer_hits_close(struct timer_hits *timers);
#endif
