/* SPDX-License-Identifier: Apache-2.0 */
/* sampler - drives the perf cpu-clock event of each CPU */

#include "collector/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ull

int sampler_attach(struct sampler *sampler, const struct options *options, int program_fd)
{
	*sampler = (struct sampler){.perf = options->perf,
				    .count = options->perf_count,
				    .period_ns = NS_PER_SECOND / options->hz};
	for (unsigned i = 0; i < sampler->count; i++)
		if (ioctl(sampler->perf[i].fd, PERF_EVENT_IOC_SET_BPF, program_fd) < 0)
			return -errno;
	return 0;
}

int sampler_switch(const struct sampler *sampler, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	int r = 0;

	for (unsigned i = 0; i < sampler->count; i++)
		if (ioctl(sampler->perf[i].fd, request, 0) < 0 && r == 0)
			r = -errno;
	return r;
}

uint64_t sampler_owed(const struct sampler *sampler)
{
	uint64_t owed = 0;

	for (unsigned i = 0; i < sampler->count; i++) {
		uint64_t ns;

		if (read(sampler->perf[i].fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
			owed += ns / sampler->period_ns;
	}
	return owed;
}
