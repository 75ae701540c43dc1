/* SPDX-License-Identifier: Apache-2.0 */
/* events - the perf events of the service: those that root has stored, or our own */

#include "service/events.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/parse.h"

#define PREFIX "perf-"

/* Return: whether it is the name of a stored perf event. */
static bool parse_name(const char *name, uint64_t *ret_cpu, uint64_t *ret_start)
{
	const char *at = name + strlen(PREFIX);

	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && tm_parse_digits(&at, ret_cpu) == 0 &&
	       *ret_cpu < TM_CPUS_MAX && *at == '-' &&
	       tm_parse_number(at + 1, 1, UINT64_MAX, ret_start) == 0;
}

/* Return: the last start of which there are events; 0: there are none. */
static uint64_t last_start(const struct tm_service *service)
{
	uint64_t cpu, start, last = 0;

	for (size_t i = 0; i < service->count; i++)
		if (parse_name(service->fds[i].name, &cpu, &start) && start > last)
			last = start;
	return last;
}

void events_take(struct events *events, struct tm_service *service)
{
	const uint64_t last = last_start(service);
	uint64_t cpu, start;

	for (size_t i = 0; i < service->count; i++) {
		struct tm_service_fd *stored = &service->fds[i];

		if (stored->fd < 0 || !parse_name(stored->name, &cpu, &start))
			continue;
		tm_service_unstore(service, stored->name);
		if (start == last && events->count < TM_CPUS_MAX)
			events->items[events->count++] = (struct events_one){
				.cpu = (unsigned)cpu, .fd = TM_TAKE_FD(stored->fd)};
		stored->fd = tm_close(stored->fd);
	}
}

int events_open(struct events *events, const unsigned *cpus, unsigned count, unsigned hz)
{
	for (unsigned i = 0; i < count && events->count < TM_CPUS_MAX; i++) {
		int fd = tm_cpus_open_event(cpus[i], hz);

		if (fd == -ENODEV || fd == -ENXIO)
			continue; /* went offline meanwhile */
		if (fd < 0)
			return fd;
		events->items[events->count++] = (struct events_one){cpus[i], fd};
	}
	return 0;
}
