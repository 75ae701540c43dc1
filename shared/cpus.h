/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cpus - reads the kernel's lists of CPUs, and opens the event that samples one of them
 *
 * Units      period of an event: ns of CPU time between two hits, 1e9 / hz.
 * Owner      a descriptor is the caller's, CLOEXEC.
 * Errors     -errno, -EINVAL: not a list.
 * Source     Documentation/admin-guide/cputopology.rst, perf_event_open(2).
 */

#include <stddef.h>

#define TM_CPUS_MAX      8192u /* CONFIG_NR_CPUS of distribution kernels, x86-64 */
#define TM_CPUS_ONLINE   "/sys/devices/system/cpu/online"
#define TM_CPUS_TEXT_MAX 4096 /* bytes: the kernel writes at most a page */
#define TM_CPUS_ONE_MAX  24   /* bytes of one of ours, the NUL included */
#define TM_CPUS_NODES    64u  /* further ones are not known */

/* "0-3,8,10-11" into CPU numbers. @ret_cpus: TM_CPUS_MAX numbers. Return: count, -EINVAL. */
int tm_cpus_parse(const char *list, unsigned *ret_cpus);
/* The cpu-clock event of all processes on one CPU, disabled. Return: descriptor; -ENODEV, -ENXIO:
 * that CPU is not online; -errno. */
int tm_cpus_open_event(unsigned cpu, unsigned hz);
/* Writes "CPU/NODE", with the node of its memory (NUMA); UINT32_MAX: not known. */
void tm_cpus_write(unsigned cpu, char ret_text[TM_CPUS_ONE_MAX]);
/* kernel.perf_event_max_sample_rate: an event with more hits a second may be stopped until the next
 * tick, again and again. Return: Hz; 0: not known. */
unsigned tm_cpus_rate_most(void);
