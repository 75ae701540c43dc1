/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * events - the perf events of the service: those that root has stored, or our own
 *
 * Names      perf-CPU-START in systemd's store (cli/store_events.c). Those of an earlier start have
 *            programs that nobody reads any more: they are closed and removed from the store, so
 *            that the kernel can free them.
 * Owner      the descriptors are the caller's.
 */

#include "shared/cpus.h"
#include "shared/service.h"

struct events_one {
	unsigned cpu;
	int fd;
};

struct events {
	unsigned count;
	struct events_one items[TM_CPUS_MAX];
};

/* Takes the events of the last start from the store, all of which leave it. */
void events_take(struct events *events, struct tm_service *service);
/* Opens one for each of @cpus. Return: 0, -errno of the first that failed. */
int events_open(struct events *events, const unsigned *cpus, unsigned count, unsigned hz);
