/* SPDX-License-Identifier: Apache-2.0 */
/* perf_events - one cpu-clock event per online CPU, opened while this process is still root */

#include "cli/perf_events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define ONLINE        "/sys/devices/system/cpu/online"
#define PARANOID      "/proc/sys/kernel/perf_event_paranoid"
#define LIST_BYTES    4096
#define NS_PER_SECOND 1000000000ull

/* Return: bytes, text terminated; -errno. */
static ssize_t read_text(const char *path, char *ret_text, size_t bytes)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, ret_text, bytes - 1);

	if (got < 0)
		return -errno;
	ret_text[got] = '\0';
	return got;
}

/* Digits at *text, moving it on. Return: 0, -EINVAL. */
static int number(const char **text, unsigned *ret_number)
{
	unsigned n = 0, digits = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
		n = n * 10 + (unsigned)(**text - '0');
		if (n >= PERF_EVENTS_CPUS_MAX)
			return -EINVAL;
	}
	*ret_number = n;
	return digits ? 0 : -EINVAL;
}

int perf_events_parse_cpus(const char *list, unsigned *ret_cpus)
{
	unsigned first, last, count = 0;

	for (;;) {
		if (number(&list, &first) < 0)
			return -EINVAL;
		last = first;
		if (*list == '-') {
			list++;
			if (number(&list, &last) < 0 || last < first)
				return -EINVAL;
		}
		if (count + (last - first) >= PERF_EVENTS_CPUS_MAX)
			return -EINVAL;
		for (; first <= last; first++)
			ret_cpus[count++] = first;
		if (*list == '\n' || *list == '\0')
			return (int)count;
		if (*list++ != ',')
			return -EINVAL;
	}
}

int perf_events_open_event(unsigned cpu, unsigned hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NS_PER_SECOND / hz,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int refuse(unsigned cpu, int error)
{
	char paranoid[16];

	if (error == -EACCES || error == -EPERM) {
		if (read_text(PARANOID, paranoid, sizeof(paranoid)) > 0)
			paranoid[strcspn(paranoid, "\n")] = '\0';
		else
			(void)snprintf(paranoid, sizeof(paranoid), "unknown");
		terminal_print("the perf event of CPU %u is refused: %s; this account, its "
			       "container or a security module forbids perf_event_open "
			       "(kernel.perf_event_paranoid is %s)",
			       cpu, strerror(-error), paranoid);
		return EXIT_CODE_HOST;
	}
	terminal_print("the perf event of CPU %u cannot be opened: %s", cpu, strerror(-error));
	return error == -ENOSYS || error == -ENOENT || error == -EOPNOTSUPP ? EXIT_CODE_HOST
									    : EXIT_CODE_FAILED;
}

static int open_each(struct perf_events *perf, const unsigned *cpus, size_t count, unsigned hz)
{
	size_t i;

	for (i = 0; i < count; i++) {
		int fd = perf_events_open_event(cpus[i], hz);

		if (fd == -ENODEV || fd == -ENXIO) {
			terminal_verbose("CPU %u went offline and is not sampled", cpus[i]);
			continue;
		}
		if (fd < 0)
			return refuse(cpus[i], fd);
		perf->events[perf->count++] = (struct perf_event){cpus[i], fd};
	}
	if (perf->count == 0) {
		terminal_print("no online CPU could be sampled");
		return EXIT_CODE_HOST;
	}
	return 0;
}

int perf_events_online(unsigned *ret_cpus)
{
	char list[LIST_BYTES];
	ssize_t got = read_text(ONLINE, list, sizeof(list));

	return got < 0 ? (int)got : perf_events_parse_cpus(list, ret_cpus);
}

int perf_events_open(struct perf_events *ret_perf, unsigned hz)
{
	_cleanup_(tm_freep) unsigned *cpus = calloc(PERF_EVENTS_CPUS_MAX, sizeof(*cpus));
	struct perf_events perf = PERF_EVENTS_NULL;
	int count, r;

	if (!cpus) {
		terminal_print("out of memory");
		return EXIT_CODE_FAILED;
	}
	count = perf_events_online(cpus);
	if (count < 0) {
		terminal_print("%s: %s", ONLINE,
			       count == -EINVAL ? "not a list of CPUs" : strerror(-count));
		return EXIT_CODE_HOST;
	}
	perf.events = calloc((size_t)count, sizeof(*perf.events));
	if (!perf.events) {
		terminal_print("out of memory");
		return EXIT_CODE_FAILED;
	}
	r = open_each(&perf, cpus, (size_t)count, hz);
	if (r != 0) {
		perf_events_close(&perf);
		return r;
	}
	*ret_perf = perf;
	return 0;
}

void perf_events_close(struct perf_events *perf)
{
	size_t i;

	for (i = 0; i < perf->count; i++)
		(void)tm_close(perf->events[i].fd);
	free(perf->events);
	*perf = PERF_EVENTS_NULL;
}
