/* SPDX-License-Identifier: Apache-2.0 */
/* cpus - reads the kernel's lists of CPUs, and opens the event that samples one of them */

#include "shared/cpus.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ull

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
