/* SPDX-License-Identifier: Apache-2.0 */
/* percpu_event - the perf event of one CPU: its period, and the hits that it owes */

#include "collector/percpu_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Return: ns since @from_ns, by the event's count; 0 where it cannot be read. */
static uint64_t update(struct percpu_event *event)
{
	uint64_t ns, hits;

	if (read(event->fd, &ns, sizeof(ns)) != (ssize_t)sizeof(ns) || ns < event->from_ns)
		return 0;
	hits = event->owed_from + (ns - event->from_ns) / event->period_ns;
	if (hits > event->owed)
		event->owed = hits;
	return ns - event->from_ns;
}

uint64_t percpu_event_owed(struct percpu_event *event)
{
	(void)update(event);
	return event->owed;
}

bool percpu_event_counts(int fd)
{
	uint64_t ns, later;

	return read(fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) &&
	       read(fd, &later, sizeof(later)) == (ssize_t)sizeof(later) && later > ns;
}

void percpu_event_adopt(struct percpu_event *event)
{
	uint64_t ns;

	if (event->slot->weight_ns)
		event->period_ns = event->slot->weight_ns;
	if (read(event->fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
		event->from_ns = ns - ns % event->period_ns;
}

/* What the next hits stand for. */
static void set_weight(const struct percpu_event *event, uint64_t rest_ns)
{
	struct tm_cpu_slot *slot = event->slot;
	uint64_t before_ns = slot->weight_ns ? slot->weight_ns : event->first_ns;

	if (slot->next_ns > before_ns) /* no hit has come since the last change */
		rest_ns += slot->next_ns - before_ns;
	if (rest_ns > PERCPU_EVENT_CARRIED_MAX)
		rest_ns = PERCPU_EVENT_CARRIED_MAX;
	slot->next_ns = rest_ns ? event->period_ns + rest_ns : 0;
	slot->weight_ns = event->period_ns == event->first_ns ? 0 : event->period_ns;
}

/* Of an event that is off. */
static int set_period(struct percpu_event *event, uint64_t period_ns)
{
	uint64_t passed_ns = update(event), rest_ns = passed_ns % event->period_ns;

	if (ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period_ns) < 0)
		return -errno;
	event->period_ns = period_ns;
	event->from_ns += passed_ns;
	event->owed_from = event->owed;
	set_weight(event, rest_ns);
	return 0;
}

int percpu_event_set_shift(struct percpu_event *event, unsigned shift, bool on)
{
	uint64_t period_ns = event->first_ns << shift;
	int r = 0;

	if (on && period_ns == event->period_ns)
		return 0;
	if (on && ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0) < 0)
		return -errno;
	if (period_ns == event->period_ns)
		set_weight(event, /* rest_ns= */ 0); /* its CPU may have had another event */
	else
		r = set_period(event, period_ns);
	if (on && ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0) < 0 && r == 0)
		r = -errno;
	return r;
}
