/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the options that `tidemark record` passes to the collector
 *
 * Shape      --name=NUMBER, --perf-fd=CPU/NODE:NUMBER and flags; shared/control.h lists them.
 * Trust      the command is trusted; an invalid option is still refused, never guessed.
 * Owner      descriptors belong to the caller.
 */

#include <stdbool.h>

#include "collector/kept.h"

#define OPTIONS_CPUS_MAX     8192       /* as TM_CPUS_MAX */
#define OPTIONS_NODE_NONE    UINT32_MAX /* not known: NUMA_NO_NODE */
#define OPTIONS_HZ_MAX       10000
#define OPTIONS_RING_KIB_MIN 64
#define OPTIONS_RING_KIB_MAX (64 * 1024)

#define OPTIONS_ROOTS_MAX    8
#define OPTIONS_OFF_CPU_MAX  100000 /* samples a second */

struct options_perf { /* one perf event, opened disabled by the command */
	unsigned cpu;
	int fd;
	unsigned node; /* of its memory (NUMA) */
};

struct options {
	int control_fd;
	int wire_fd;   /* -1: none yet, with `restart`: ATTACH brings one */
	int opener_fd; /* the socket to it; -1: none yet, OPENER may bring one */
	unsigned hz;
	unsigned ring_kib;      /* of each CPU's ring; 0: from hz */
	uint64_t memory_bytes;  /* of everything together; 0: no limit */
	uint64_t process_bytes; /* of these, what the command sets aside for the programs */
	bool selecting;
	bool may_lower;      /* the symbolizer may lower the sampling rate */
	bool off_cpu_kernel; /* with kernel threads */
	bool wakers;         /* with the stacks of those who end a sleep */
	unsigned off_cpu;    /* target of off-CPU samples a second; 0: none */
	uint64_t off_cpu_min_ns;
	uint64_t off_cpu_max_ns;
	bool restart;              /* if the symbolizer dies, the command starts a new one */
	unsigned debug_root_count; /* 0: debug files are not looked for */
	const char *debug_roots[OPTIONS_ROOTS_MAX]; /* relative to /; in argv */
	bool keep;        /* the command keeps descriptors for the next collector */
	struct kept kept; /* of the last one */
	uint64_t digest;  /* of all options but descriptors */
	unsigned perf_count;
	struct options_perf perf[OPTIONS_CPUS_MAX];
};

/* Puts the kept events in the place of new ones. @ret_added: those of CPUs that have no kept one,
 * or one that no longer counts. Return: their number. */
unsigned options_adopt_events(struct options *options, struct options_perf *ret_added);
/* Return: 0; -EINVAL and *ret_wrong, the argument that was not understood. */
int options_parse(struct options *options, int argc, char **argv, const char **ret_wrong);
