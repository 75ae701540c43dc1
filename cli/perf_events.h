/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * perf_events - one cpu-clock event per online CPU, opened while this process is still root
 *
 * Units      period: ns between two hits, 1e9 / hz.
 * Owns       the descriptors; events are disabled, the collector starts them.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/cpus.h"

struct perf_event {
	unsigned cpu;
	int fd;
};

struct perf_events {
	struct perf_event *events;
	size_t count;
};
#define PERF_EVENTS_NULL ((struct perf_events){NULL, 0})

/* A CPU that went offline meanwhile is left out. Return: 0, or an exit code, after printing why. */
int perf_events_open(struct perf_events *ret_perf, unsigned hz);
/* The online CPUs. @ret_cpus: TM_CPUS_MAX numbers. Return: count, -errno, -EINVAL. */
int perf_events_online(unsigned *ret_cpus);
/* Whether this kernel lets nobody without CAP_SYS_ADMIN open one: kernel.perf_event_paranoid above
 * 2, which is no value of the kernel's own. */
bool perf_events_need_admin(void);
/* Total. */
void perf_events_close(struct perf_events *perf);
