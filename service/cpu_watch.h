/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cpu_watch - notices CPUs that come online, for the collector of the service
 *
 * Shape      the kernel's list of online CPUs is read again through the same descriptor, so that
 *            nothing is opened behind the filter. A CPU counts as new when it was not in the list
 *            before; one that went and came between two looks is not noticed.
 * Suspend    takes all CPUs but one away and back, and so their events, while nobody looks: all
 *            count as new behind it. It shows in CLOCK_BOOTTIME, which goes on meanwhile.
 * Owner      struct cpu_watch owns its descriptor, until the process ends.
 * Threads    one. Each look is one pread(2).
 */

#include <stdint.h>

#include "shared/cpus.h"

#define CPU_WATCH_MS           1000 /* between two looks */
#define CPU_WATCH_SUSPENDED_MS 100  /* what is less is the rounding of two clocks */

struct cpu_watch {
	int fd; /* -1: none */
	uint64_t next_ms;
	uint64_t suspended_ms;           /* in all, since the boot: the most of all looks */
	uint8_t online[TM_CPUS_MAX / 8]; /* bit per CPU, as last seen */
};
#define CPU_WATCH_NULL ((struct cpu_watch){.fd = -1})

/* Return: 0, -errno. */
int cpu_watch_open(struct cpu_watch *watch);
/* How long this host has been suspended since its boot; never more than that. */
uint64_t cpu_watch_suspended_ms(void);
/* Looks, if it is time to. @suspended_ms: as above. @ret_cpus: TM_CPUS_MAX numbers. Return: how
 * many are online and were not at the last look; at the first one, and behind a suspend, all that
 * are. */
unsigned cpu_watch_look(struct cpu_watch *watch, uint64_t now_ms, uint64_t suspended_ms,
			unsigned *ret_cpus);
