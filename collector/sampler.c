/* SPDX-License-Identifier: Apache-2.0 */
/* sampler - drives the perf cpu-clock event of each CPU */

#include "collector/sampler.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define NS_PER_SECOND 1000000000ull

/* A link (5.15), else the ioctl, which lasts as long as the event. */
static int attach_one(int event_fd, int program_fd, int *ret_link)
{
	*ret_link = bpf_link_create(program_fd, event_fd, BPF_PERF_EVENT, NULL);
	if (*ret_link >= 0)
		return 0;
	*ret_link = -1;
	return ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, program_fd) < 0 ? -errno : 0;
}

int sampler_attach(struct sampler *sampler, const struct options *options, int program_fd)
{
	*sampler = (struct sampler){.perf = options->perf,
				    .count = options->perf_count,
				    .period_ns = NS_PER_SECOND / options->hz};
	sampler->links = calloc(sampler->count, sizeof(*sampler->links));
	if (!sampler->links)
		return -ENOMEM;
	for (unsigned i = 0; i < sampler->count; i++)
		sampler->links[i] = -1;
	for (unsigned i = 0; i < sampler->count; i++) {
		int r = attach_one(sampler->perf[i].fd, program_fd, &sampler->links[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int switch_all(const struct sampler *sampler, unsigned long request)
{
	int r = 0;

	for (unsigned i = 0; i < sampler->count; i++)
		if (ioctl(sampler->perf[i].fd, request, 0) < 0 && r == 0)
			r = -errno;
	return r;
}

int sampler_enable(const struct sampler *sampler)
{
	return switch_all(sampler, PERF_EVENT_IOC_ENABLE);
}

int sampler_disable(const struct sampler *sampler)
{
	return switch_all(sampler, PERF_EVENT_IOC_DISABLE);
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

void sampler_deinit(struct sampler *sampler)
{
	for (unsigned i = 0; sampler->links && i < sampler->count; i++)
		sampler->links[i] = tm_close(sampler->links[i]);
	free(sampler->links);
	sampler->links = NULL;
}
