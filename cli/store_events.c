/* SPDX-License-Identifier: Apache-2.0 */
/* store_events - `tidemark store-events`: opens the perf events of the service while it is root */

#include "cli/store_events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/perf_events.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/option.h"
#include "shared/service.h"

#define HZ_MAX     10000u
#define BARRIER_MS 5000 /* for systemd to have read what was sent */

/* systemd knows whom a message is from as long as that process lives, so it is waited for.
 * Source: sd_notify_barrier(3). Return: 0, -errno, -ETIMEDOUT. */
static int wait_until_stored(const struct tm_service *service)
{
	_cleanup_(tm_closep) int here = -1;
	_cleanup_(tm_closep) int there = -1;
	struct pollfd end = {.events = 0};
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	here = ends[0];
	there = ends[1];
	r = tm_service_barrier(service, there);
	there = tm_close(there);
	end.fd = here;
	if (r == 0 && poll(&end, 1, BARRIER_MS) != 1)
		r = -ETIMEDOUT;
	return r;
}

static int store(const struct tm_service *service, const struct perf_events *perf)
{
	const uint64_t start = tm_clock_ms();
	char name[TM_SERVICE_FD_NAME];
	int r = 0;

	for (size_t i = 0; r == 0 && i < perf->count; i++) {
		(void)snprintf(name, sizeof(name), "perf-%u-%" PRIu64, perf->events[i].cpu, start);
		r = tm_service_store(service, name, &perf->events[i].fd, 1);
	}
	return r < 0 ? r : wait_until_stored(service);
}

int store_events_main(int argc, char *const argv[])
{
	static struct tm_service service;
	struct perf_events perf = PERF_EVENTS_NULL;
	char *value = argc == 2 ? tm_option_value(argv[1], "--hz") : NULL;
	unsigned hz;
	int r;

	if (!value || tm_option_number(value, 1, HZ_MAX, &hz) < 0) {
		terminal_print("store-events takes one option, --hz=N with 1 to %u", HZ_MAX);
		return EXIT_CODE_USAGE;
	}
	r = tm_service_init(&service);
	if (r == 0 && service.notify < 0)
		r = -ENOTCONN;
	if (r < 0) {
		terminal_print("store-events runs as ExecStartPre= of a systemd unit with "
			       "NotifyAccess=exec: %s",
			       strerror(-r));
		return EXIT_CODE_FAILED;
	}
	r = perf_events_open(&perf, hz);
	if (r != 0)
		return r;
	r = store(&service, &perf);
	if (r < 0)
		terminal_print("the perf events could not be handed to systemd: %s", strerror(-r));
	perf_events_close(&perf);
	tm_service_deinit(&service);
	return r < 0 ? EXIT_CODE_FAILED : EXIT_CODE_WRITTEN;
}
