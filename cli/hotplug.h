/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hotplug - receives messages about new CPUs and sends their perf events to the collector
 *
 * Shape      uevents over netlink. Where some were lost, the event of every CPU that is online is
 *            opened and sent again: it is not known which of them went offline meanwhile. A CPU
 *            that goes offline needs nothing.
 * Trust      a message counts only if the kernel itself sent it, and is parsed as any bytes.
 * Errors     HOTPLUG_E_OTHER (no message about a CPU that came online).
 */

#include <stddef.h>
#include <stdint.h>

#include "cli/child.h"
#include "cli/perf_events.h"
#include "cli/starter_client.h"

enum {
	HOTPLUG_E_OTHER = 1,
};

struct hotplug {
	int fd;                           /* -1: CPUs that come online later are not sampled */
	struct starter_client *starter;   /* opens the events; borrowed */
	uint8_t sampled[TM_CPUS_MAX / 8]; /* bit per CPU: an event was handed over once */
	uint8_t refused[TM_CPUS_MAX / 8]; /* it came, and could not be sampled then */
};
#define HOTPLUG_NULL ((struct hotplug){.fd = -1})

/* Call before the events are opened, so that no CPU is missed. Never fails: prints why not. */
void hotplug_open(struct hotplug *ret_hotplug);
/* The CPUs that are sampled from the start. @starter: opens those of others. */
void hotplug_begin(struct hotplug *hotplug, const struct perf_events *perf,
		   struct starter_client *starter);
/* After `fd` became readable: opens the events of new CPUs and sends them to @collector. */
void hotplug_receive(struct hotplug *hotplug, struct child *collector);
/*
 * How many CPUs were or are online without being sampled. @taken: events that the collector has
 * taken; 0: not known.
 */
unsigned hotplug_missed(const struct hotplug *hotplug, uint64_t taken);
/* Total. */
void hotplug_close(struct hotplug *hotplug);

/*
 * @message: any bytes. "online@/devices/system/cpu/cpu1", NUL, whatever follows; also "add@...".
 * Return: 0, HOTPLUG_E_OTHER.
 */
int hotplug_parse(const char *message, size_t bytes, unsigned *ret_cpu);
