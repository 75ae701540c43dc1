/* SPDX-License-Identifier: Apache-2.0 */
/* governor - keeps what tidemark costs below a share of the CPUs' time, by the sampling rate */

#include "symbolizer/profile/governor.h"

#define PPM       1000000.0
#define STEP      2u /* how far the period is raised, by powers of two, */
#define STEP_OVER 4u /* where the cost is so many times the limit; else by one */

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
	if (!limit_ppm)
		governor->shift = 0;
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

/* @sampling_ppm: what of @ppm the rate has a part in. */
static void adapt(struct governor *governor, double ppm, double sampling_ppm)
{
	governor->calm = is_calm(ppm, governor->limit_ppm) ? governor->calm + 1 : 0;
	if (ppm > governor->limit_ppm && !is_small(sampling_ppm, governor->limit_ppm)) {
		governor->shift = raised(governor, ppm);
	} else if (governor->calm >= GOVERNOR_CALM && governor->shift > 0) {
		governor->shift--;
		governor->calm = 0;
	}
}

bool governor_decide(struct governor *governor, const struct tm_counts *counts, uint64_t own_ns,
		     uint64_t parser_ns)
{
	const struct governor last = *governor;
	double sampling, all;

	if (!last.governs || counts->measured_ns < GOVERNOR_NS ||
	    counts->measured_ns - GOVERNOR_NS < last.measured_ns)
		return false;
	governor->measured_ns = counts->measured_ns;
	governor->bpf_ns = counts->bpf_ns;
	governor->cpu_ns = counts->cpu_ns + own_ns;
	governor->parser_ns = parser_ns;
	all = since(counts->measured_ns, last.measured_ns) * (double)counts->cpus;
	if (!last.measured_ns || all <= 0)
		return false;
	sampling = since(counts->bpf_ns, last.bpf_ns) + since(governor->cpu_ns, last.cpu_ns);
	if (last.limit_ppm)
		adapt(governor, (sampling + since(parser_ns, last.parser_ns)) / all * PPM,
		      sampling / all * PPM);
	return true;
}
