/* SPDX-License-Identifier: Apache-2.0 */
/* cpus - reads the kernel's lists of CPUs, and opens the event that samples one of them */

#include "shared/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull
#define RATE_MOST     "/proc/sys/kernel/perf_event_max_sample_rate"

/* Digits at *text, moving it on. Return: 0, -EINVAL. */
static int number(const char **text, unsigned *ret_number)
{
	unsigned n = 0, digits = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
		n = n * 10 + (unsigned)(**text - '0');
		if (n >= TM_CPUS_MAX)
			return -EINVAL;
	}
	*ret_number = n;
	return digits ? 0 : -EINVAL;
}

int tm_cpus_parse(const char *list, unsigned *ret_cpus)
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
		if (count + (last - first) >= TM_CPUS_MAX)
			return -EINVAL;
		for (; first <= last; first++)
			ret_cpus[count++] = first;
		if (*list == '\n' || *list == '\0')
			return (int)count;
		if (*list++ != ',')
			return -EINVAL;
	}
}

int tm_cpus_open_event(unsigned cpu, unsigned hz)
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

void tm_cpus_write(unsigned cpu, char ret_text[TM_CPUS_ONE_MAX])
{
	char path[80];

	(void)snprintf(ret_text, TM_CPUS_ONE_MAX, "%u/%u", cpu, UINT32_MAX);
	for (unsigned node = 0; node < TM_CPUS_NODES; node++) {
		(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpu%u", node,
			       cpu);
		if (access(path, F_OK) < 0)
			continue;
		(void)snprintf(ret_text, TM_CPUS_ONE_MAX, "%u/%u", cpu, node);
		return;
	}
}

unsigned tm_cpus_rate_most(void)
{
	_cleanup_(tm_closep) int fd = open(RATE_MOST, O_RDONLY | O_CLOEXEC);
	char text[16];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return (unsigned)strtoul(text, NULL, 10);
}
