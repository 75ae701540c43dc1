/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * percpu_event - the perf event of one CPU: its period, and the hits that it owes
 *
 * Owed       a perf event counts the nanoseconds for which it was enabled; divided by the period
 *            that is the number of hits that the kernel owes, whether or not the program ran for
 *            each. It never decreases, also if the count cannot be read.
 * Period     2^shift times the first one. Where it is changed, the kernel forgets what had passed
 *            of the old one and begins a new one. So the event is off meanwhile: what it owes by
 *            then is known exactly, and so is the rest, for which no hit will come. The next hit
 *            stands for that as well: so the values of all hits add up to the time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/bpf_state.h"

#define PERCPU_EVENT_CARRIED_MAX (2 * TM_NS_PER_SECOND) /* of changed periods, to one hit */

struct percpu_event {
	unsigned cpu;
	int fd;
	unsigned node; /* of its ring and scratch memory, or OPTIONS_NODE_NONE */
	struct tm_cpu_slot *slot;
	uint64_t owed; /* when last read */
	uint64_t first_ns;
	uint64_t period_ns; /* now, */
	uint64_t from_ns;   /* the event's count when it began, */
	uint64_t owed_from; /* and what it owed by then */
};

/* Return: hits owed so far. */
uint64_t percpu_event_owed(struct percpu_event *event);
/* Whether it is on and its CPU is online and was so since. */
bool percpu_event_counts(int fd);
/* An event that counts already, with the period that its slot says: it owes nothing so far. */
void percpu_event_adopt(struct percpu_event *event);
/* @on: it is, and will be. Return: 0; -errno: its hits may come as before. */
int percpu_event_set_shift(struct percpu_event *event, unsigned shift, bool on);
