/* SPDX-License-Identifier: GPL-2.0 */
/*
 * periods - what the governor builds on: an event whose period is changed while it is off comes a
 * whole new period after it is on again, and no more often than its time owes
 *
 * Prints what the hits' context says of their period as well, which is not to be relied upon.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared/clock.h"
#include "tests/kernels/periods.h"

#include "periods.skel.h" /* uses the types of periods.h */

#define FIRST_NS   1000000ull
#define SHIFTS     6
#define HITS       20 /* of each period, at least */
#define PATIENCE_S 60 /* for these, under emulation */
#define SKIPPED    77

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = FIRST_NS,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static uint64_t count_of(int event)
{
	uint64_t ns = 0;

	return read(event, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : 0;
}

/* The event is off before and after. Return: whether it did what the governor builds on. */
static bool try_period(struct periods_bpf *skeleton, int event, uint64_t period_ns)
{
	struct periods_hit *hit = &skeleton->bss->hit;
	uint64_t before = count_of(event), began, end, owed;

	*hit = (struct periods_hit){0}; /* no hit comes meanwhile */
	if (ioctl(event, PERF_EVENT_IOC_PERIOD, &period_ns) < 0)
		return false;
	began = tm_clock_ns();
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return false;
	end = began + PATIENCE_S * 1000000000ull;
	while (__atomic_load_n(&hit->hits, __ATOMIC_RELAXED) < HITS && tm_clock_ns() < end)
		;
	if (ioctl(event, PERF_EVENT_IOC_DISABLE, 0) < 0)
		return false;
	end = tm_clock_ns();
	owed = (count_of(event) - before) / period_ns;
	printf("period %" PRIu64 " ns: %" PRIu64 " hits of %" PRIu64 " owed, the first after "
	       "%" PRIu64 " ns; the context says %" PRIu64 " ns\n",
	       period_ns, (uint64_t)hit->hits, owed, (uint64_t)hit->first_ktime - began,
	       (uint64_t)hit->claimed);
	/* By the timer's clock, which is not the count's (kernel/events/core.c): an emulated guest
	 * had 20 hits of 19 owed. */
	return hit->hits >= HITS && hit->hits <= (end - began) / period_ns &&
	       hit->first_ktime - began >= period_ns;
}

int main(void)
{
	struct periods_bpf *skeleton;
	bool holds = true;
	cpu_set_t one;
	int event;

	if (geteuid()) {
		printf("SKIP: must be root\n");
		return SKIPPED;
	}
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	(void)sched_setaffinity(0, sizeof(one), &one); /* the idle task's timers may come late */
	event = open_event(0);
	skeleton = periods_bpf__open_and_load();
	if (event < 0 || !skeleton ||
	    ioctl(event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skeleton->progs.count)) < 0) {
		printf("FAIL: no event with our program: %s\n", strerror(errno));
		return 1;
	}
	for (int shift = 0; shift < SHIFTS; shift++) /* up, and down again */
		holds &= try_period(skeleton, event, FIRST_NS << shift);
	for (int shift = SHIFTS - 1; shift >= 0; shift--)
		holds &= try_period(skeleton, event, FIRST_NS << shift);
	periods_bpf__destroy(skeleton);
	puts(holds ? "ok" : "FAIL");
	return holds ? 0 : 1;
}
