/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cpus - lists the CPUs that this process may run on, and pins threads to them
 */

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#define CPUS_MOST 8192u /* the most that a kernel can be built for */

/* Writes their numbers in ascending order. Return: how many; 0: the kernel does not say. */
static inline size_t cpus_usable(size_t ret_cpus[static CPUS_MOST])
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MOST);
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MOST), count = 0;

	if (!set)
		return 0;
	CPU_ZERO_S(bytes, set);
	if (sched_getaffinity(0, bytes, set) == 0)
		for (size_t cpu = 0; cpu < CPUS_MOST; cpu++)
			if (CPU_ISSET_S(cpu, bytes, set))
				ret_cpus[count++] = cpu;
	CPU_FREE(set);
	return count;
}

/* Keeps the calling thread on one CPU. Return: 0, -errno (-EINVAL: that CPU is offline). */
static inline int cpus_pin(size_t cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MOST);
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MOST);
	int r = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	if (sched_setaffinity(0, bytes, set) < 0)
		r = -errno;
	CPU_FREE(set);
	return r;
}
