/* SPDX-License-Identifier: Apache-2.0 */
/* governor - keeps what tidemark costs below a share of the CPUs' time */

#include "symbolizer/profile/governor.h"

#define PPM       1000000.0
#define STEP      2u /* how far the period is raised, by powers of two, */
#define STEP_OVER 4u /* where the cost is so many times the limit; else by one */

/* Decisions until a limit for owners shows: they are measured for a window first, then thinned. */
#define SETTLE_FIRST 2u
#define SETTLE       1u
#define OWNER_SHIFT  2u /* from one limit for owners to the next, a power of two */

void governor_init(struct governor *governor, uint32_t limit_ppm, unsigned hz)
{
	*governor = (struct governor){.limit_ppm = limit_ppm, .governs = limit_ppm > 0};
	while (governor->shift_max < GOVERNOR_SHIFT && hz >> (governor->shift_max + 1) > 0)
		governor->shift_max++;
}

void governor_set_limit(struct governor *governor, uint32_t limit_ppm)
{
	governor->limit_ppm = limit_ppm;
	governor->governs |= limit_ppm > 0;
	governor->calm = 0;
	if (limit_ppm)
		return;
	governor->shift = 0;
	governor->owner_level = 0;
	governor->owner_ns = 0;
}

/* What the collector counts only grows, but is not to be trusted. */
static double since(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

/* Twice as much would be 3/4 of the limit. */
static bool is_calm(double ppm, uint32_t limit_ppm)
{
	return ppm < 0.375 * limit_ppm;
}

/* A lower rate saves no more than this. */
static bool is_small(double ppm, uint32_t limit_ppm)
{
	return ppm < 0.125 * limit_ppm;
}

static unsigned raised(const struct governor *governor, double ppm)
{
	unsigned step = ppm > STEP_OVER * (double)governor->limit_ppm ? STEP : 1;
	unsigned space = governor->shift_max - governor->shift;

	return governor->shift + (step < space ? step : space);
}

/* What a second has cost. */
struct cost {
	double ppm;
	double sampling_ppm; /* of that, what the rate has a part in */
	double bpf_ns;       /* in a window of owners */
	double thinned;      /* hits not taken, for each sample */
};

/* One owner may cost as much as all may, then a quarter of it. The whole is mostly that of few. */
static void limit_owners(struct governor *governor, const struct cost *cost)
{
	double share_ns = cost->bpf_ns * governor->limit_ppm / cost->ppm;

	governor->settle = governor->owner_level++ ? SETTLE : SETTLE_FIRST;
	if (governor->owner_ns)
		governor->owner_ns >>= OWNER_SHIFT;
	else
		governor->owner_ns =
			share_ns < GOVERNOR_OWNER_MOST ? (uint64_t)share_ns : GOVERNOR_OWNER_MOST;
	if (!governor->owner_ns)
		governor->owner_ns = 1;
}

static void release_owners(struct governor *governor)
{
	governor->owner_level--;
	governor->owner_ns = governor->owner_level ? governor->owner_ns << OWNER_SHIFT : 0;
}

static void save(struct governor *governor, const struct cost *cost)
{
	if (governor->settle > 0)
		governor->settle--;
	else if (governor->owner_level < GOVERNOR_OWNER_LEVELS)
		limit_owners(governor, cost);
	else
		governor->shift = raised(governor, cost->ppm);
}

static void adapt(struct governor *governor, const struct cost *cost)
{
	governor->calm = is_calm(cost->ppm, governor->limit_ppm) ? governor->calm + 1 : 0;
	if (cost->ppm > governor->limit_ppm && !is_small(cost->sampling_ppm, governor->limit_ppm)) {
		save(governor, cost);
	} else if (governor->calm >= GOVERNOR_CALM && governor->shift > 0) {
		governor->shift--;
		governor->calm = 0;
	} else if (governor->calm >= GOVERNOR_CALM && governor->owner_level > 0 &&
		   is_calm(cost->ppm * (1 + cost->thinned), governor->limit_ppm)) {
		release_owners(governor);
		governor->calm = 0;
	}
}

bool governor_decide(struct governor *governor, const struct tm_counts *counts, uint64_t own_ns,
		     uint64_t parser_ns)
{
	const struct governor last = *governor;
	double sampling, all, taken, passed;

	if (!last.governs || counts->measured_ns < GOVERNOR_NS ||
	    counts->measured_ns - GOVERNOR_NS < last.measured_ns)
		return false;
	governor->measured_ns = counts->measured_ns;
	governor->bpf_ns = counts->bpf_ns;
	governor->cpu_ns = counts->cpu_ns + own_ns;
	governor->parser_ns = parser_ns;
	governor->taken = counts->taken;
	governor->thinned = counts->bpf.thinned;
	passed = since(counts->measured_ns, last.measured_ns);
	all = passed * (double)counts->cpus;
	if (!last.measured_ns || all <= 0)
		return false;
	sampling = since(counts->bpf_ns, last.bpf_ns) + since(governor->cpu_ns, last.cpu_ns);
	taken = since(counts->taken, last.taken);
	if (last.limit_ppm)
		adapt(governor,
		      &(struct cost){
			      .ppm = (sampling + since(parser_ns, last.parser_ns)) / all * PPM,
			      .sampling_ppm = sampling / all * PPM,
			      .bpf_ns = since(counts->bpf_ns, last.bpf_ns) / passed *
					(double)TM_NS_PER_SECOND,
			      .thinned = taken > 0
						 ? since(counts->bpf.thinned, last.thinned) / taken
						 : 0,
		      });
	return true;
}
