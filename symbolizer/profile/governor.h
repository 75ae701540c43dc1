/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * governor - keeps what tidemark costs below a share of the CPUs' time
 *
 * Shape      the governor looks at the cost of the time since its last decision, once the collector
 *            has measured its own again. Above the limit it first limits what the samples of one
 *            owner may take, in steps: whoever is beyond has his samples thinned, and nobody else
 *            (bpf/owner_time.bpf.h). Where that is not enough it lowers the rate of all: a hit
 *            stands for 2^shift periods of the recording. It doubles the period, or quadruples it
 *            where the cost is several times too high.
 * Return     a step at a time, the rate of all first: once the cost has been so low for
 *            GOVERNOR_CALM decisions in a row that what the step brings would still be well below
 *            the limit, so that it does not swing.
 * Cost       BPF programs, by the kernel's clock or by their own; collector, symbolizer, the
 *            parser's workers, and the parser itself where it is a child. Not in it: the opener,
 *            debuginfod, the exporter, the spool, the command or the collector's manager, and the
 *            timer interrupt around the BPF programs.
 * Limits     the rate is never lowered below a hit a second and CPU, nor by more than 2^10; and not
 *            where that would save next to nothing, since the parser has spent the time. What does
 *            not depend on the rate (parsing files, reports) may so cost more than the limit.
 * Place      the collector, which has the privilege to set the period, checks a wish and decides
 *            nothing: a symbolizer that lies gets a rate within these limits.
 * Units      ppm: millionths of the time of all sampled CPUs.
 * Threads    one. It reads no clock.
 */

#include <stdbool.h>

#include "shared/wire.h"

#define GOVERNOR_NS           900000000ull /* between decisions; costs are measured each second */
#define GOVERNOR_CALM         5
#define GOVERNOR_SHIFT        (TM_WEIGHTS_N - 1) /* at most */
#define GOVERNOR_OWNER_LEVELS 2u
#define GOVERNOR_OWNER_MOST   (1ull << 50) /* ns; counts are not to be trusted */

struct governor {
	uint32_t limit_ppm; /* 0: the rate is left alone, */
	bool governs;       /* but for its return, where there was a limit */
	unsigned shift_max;
	unsigned shift;
	uint64_t owner_ns;    /* what samples of one owner may take a second; 0: any time */
	unsigned owner_level; /* steps taken to that */
	unsigned settle;      /* decisions until the last one shows */
	unsigned calm;        /* decisions in a row */
	uint64_t measured_ns; /* at the last decision, as what follows; 0: there was none */
	uint64_t bpf_ns;
	uint64_t cpu_ns; /* of all processes but the next ones */
	uint64_t parser_ns;
	uint64_t taken; /* samples */
	uint64_t thinned;
};

/* @hz: of the recording. */
void governor_init(struct governor *governor, uint32_t limit_ppm, unsigned hz);
/* Another limit, from the next decision on; with none the rate returns at once. */
void governor_set_limit(struct governor *governor, uint32_t limit_ppm);
/* CPU time so far, @own_ns: of the symbolizer; @parser_ns: of the parser and its workers.
 * Return: whether it has decided; `shift` and `owner_ns` are what it has. */
bool governor_decide(struct governor *governor, const struct tm_counts *counts, uint64_t own_ns,
		     uint64_t parser_ns);
