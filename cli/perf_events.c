/* SPDX-License-Identifier: Apache-2.0 */
/* perf_events - one cpu-clock event per online CPU, opened while this process is still root */

#include "cli/perf_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

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
		int fd = tm_cpus_open_event(cpus[i], hz);

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
	char list[TM_CPUS_TEXT_MAX];
	ssize_t got = read_text(TM_CPUS_ONLINE, list, sizeof(list));

	return got < 0 ? (int)got : tm_cpus_parse(list, ret_cpus);
}

static void warn_of_rate(unsigned hz)
{
	unsigned most = tm_cpus_rate_most();

	if (most > 0 && most < hz)
		terminal_print(
			"kernel.perf_event_max_sample_rate is %u, less than -F %u: the kernel "
			"may stop sampling for moments, and what it leaves out is counted as "
			"not run",
			most, hz);
}

int perf_events_open(struct perf_events *ret_perf, unsigned hz)
{
	_cleanup_(tm_freep) unsigned *cpus = calloc(TM_CPUS_MAX, sizeof(*cpus));
	struct perf_events perf = PERF_EVENTS_NULL;
	int count, r;

	if (!cpus) {
		terminal_print("out of memory");
		return EXIT_CODE_FAILED;
	}
	count = perf_events_online(cpus);
	if (count < 0) {
		terminal_print("%s: %s", TM_CPUS_ONLINE,
			       count == -EINVAL ? "not a list of CPUs" : strerror(-count));
		return EXIT_CODE_HOST;
	}
	perf.events = calloc((size_t)count, sizeof(*perf.events));
	if (!perf.events) {
		terminal_print("out of memory");
		return EXIT_CODE_FAILED;
	}
	warn_of_rate(hz);
	r = open_each(&perf, cpus, (size_t)count, hz);
	if (r != 0) {
		perf_events_close(&perf);
		return r;
	}
	*ret_perf = perf;
	return 0;
}

bool perf_events_need_admin(void)
{
	char paranoid[16];

	return read_text(PARANOID, paranoid, sizeof(paranoid)) <= 0 || paranoid[0] > '2';
}

void perf_events_close(struct perf_events *perf)
{
	size_t i;

	for (i = 0; i < perf->count; i++)
		(void)tm_close(perf->events[i].fd);
	free(perf->events);
	*perf = PERF_EVENTS_NULL;
}
