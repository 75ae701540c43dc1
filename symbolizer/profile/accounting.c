/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting - checks that every sample is accounted for: taken = exported + drops, by reason
 */

#include "symbolizer/profile/accounting.h"

#include <string.h>

struct terms {                  /* of one sum */
	uint64_t taken, pushed; /* counted by the collector, as are the drops */
	const uint64_t *drops;
	uint64_t read, exported, no_memory, bad;
};

/* Return: a - b, or 0 if b is larger. Either may have wrapped around. */
static uint64_t excess(uint64_t a, uint64_t b)
{
	const uint64_t difference = a - b;

	return difference <= INT64_MAX ? difference : 0;
}

/* Return: how far apart they are. */
static uint64_t distance(uint64_t a, uint64_t b)
{
	return excess(a, b) + excess(b, a);
}

static struct terms terms_of_samples(uint64_t taken, uint64_t pushed, const uint64_t *drops,
				     const struct sample_counts *samples)
{
	return (struct terms){
		.taken = taken,
		.pushed = pushed,
		.drops = drops,
		.read = samples->read.count,
		.exported = samples->exported.count,
		.no_memory = samples->no_memory.count,
		.bad = samples->bad,
	};
}

static struct terms terms_of_ns(const struct tm_off_cpu_counts *counts,
				const struct sample_counts *samples)
{
	return (struct terms){
		.taken = counts->taken_ns,
		.pushed = counts->pushed_ns,
		.drops = counts->drops_ns,
		.read = samples->read.value,
		.exported = samples->exported.value,
		.no_memory = samples->no_memory.value,
	};
}

/* Samples that were pushed into the ring but were not read as valid records. */
static uint64_t bad_samples(const struct terms *terms, const struct accounting_read *read)
{
	uint64_t missing = excess(terms->pushed, terms->read);

	return read->broken || missing < read->bad_records ? missing : read->bad_records;
}

/* Return: what has a known fate. */
static uint64_t add_up(struct accounting_sum *sum, const struct terms *terms)
{
	uint64_t accounted = terms->exported;

	*sum = (struct accounting_sum){.exported = terms->exported};
	sum->own[TM_DROP_BAD_RECORD] = terms->bad;
	sum->own[TM_DROP_MEMORY] = terms->no_memory;
	for (int i = 0; i < TM_DROP_N; i++) {
		sum->drops[i] = terms->drops[i] + sum->own[i];
		accounted += sum->drops[i];
	}
	return accounted;
}

/* Subtracts @reported from @value, and adds the difference to @reported. */
static void subtract_reported(uint64_t *value, uint64_t *reported)
{
	*value = excess(*value, *reported);
	*reported += *value;
}

static void close_sum(struct accounting_sum *sum, const struct terms *terms, bool collector_died)
{
	uint64_t accounted = add_up(sum, terms);

	sum->taken = terms->taken;
	if (collector_died) {
		uint64_t lost = excess(terms->taken, accounted);

		sum->own[TM_DROP_COLLECTOR_DIED] = lost;
		sum->drops[TM_DROP_COLLECTOR_DIED] += lost;
		/* It may have written records after it last updated its counts. */
		sum->taken += excess(accounted, sum->taken);
		return;
	}
	sum->unexplained = distance(sum->taken, accounted);
}

void accounting_close(struct accounting *sums, const struct tm_counts *counts,
		      const struct accounting_read *read)
{
	const struct tm_off_cpu_counts *off_cpu = &counts->off_cpu;
	const struct sample_counts *samples = read->samples;
	struct terms terms = terms_of_samples(counts->taken, counts->pushed, counts->drops,
					      &samples[TM_SAMPLE_ON_CPU]);
	struct terms ns = terms_of_ns(off_cpu, &samples[TM_SAMPLE_OFF_CPU]);

	*sums = (struct accounting){.not_run = excess(counts->owed, counts->hits)};
	terms.bad = bad_samples(&terms, read);
	close_sum(&sums->on_cpu, &terms, read->collector_died);
	terms = terms_of_samples(off_cpu->taken, off_cpu->pushed, off_cpu->drops,
				 &samples[TM_SAMPLE_OFF_CPU]);
	terms.bad = bad_samples(&terms, read);
	close_sum(&sums->off_cpu, &terms, read->collector_died);
	ns.bad = terms.bad ? excess(ns.pushed, ns.read) : 0;
	close_sum(&sums->off_cpu_ns, &ns, read->collector_died);
}

void accounting_so_far(struct accounting *sums, const struct tm_counts *counts,
		       const struct accounting_read *read)
{
	const struct sample_counts *off_cpu = &read->samples[TM_SAMPLE_OFF_CPU];
	const struct terms terms =
		terms_of_samples(0, 0, counts->drops, &read->samples[TM_SAMPLE_ON_CPU]);
	const struct terms off = terms_of_samples(0, 0, counts->off_cpu.drops, off_cpu);
	const struct terms ns = terms_of_ns(&counts->off_cpu, off_cpu);

	*sums = (struct accounting){.not_run = excess(counts->owed, counts->hits)};
	sums->on_cpu.taken = add_up(&sums->on_cpu, &terms);
	sums->off_cpu.taken = add_up(&sums->off_cpu, &off);
	sums->off_cpu_ns.taken = add_up(&sums->off_cpu_ns, &ns);
}

static void resume_sum(struct accounting_sum *sum, uint64_t taken, const uint64_t *drops)
{
	sum->taken = taken;
	memcpy(sum->drops, drops, sizeof(sum->drops));
}

void accounting_resume(struct accounting *reported, const struct tm_counts *counts)
{
	const struct tm_off_cpu_counts *off_cpu = &counts->off_cpu;

	*reported = (struct accounting){.not_run = excess(counts->owed, counts->hits)};
	resume_sum(&reported->on_cpu, counts->taken, counts->drops);
	resume_sum(&reported->off_cpu, off_cpu->taken, off_cpu->drops);
	resume_sum(&reported->off_cpu_ns, off_cpu->taken_ns, off_cpu->drops_ns);
}

/* Return: the sum of @ret_drops. */
static uint64_t baseline_sum(const struct accounting_sum *sum, uint64_t *ret_drops)
{
	uint64_t ours = sum->exported, all = 0;

	for (int i = 0; i < TM_DROP_N; i++) {
		ours += sum->own[i];
		ret_drops[i] = sum->drops[i] - sum->own[i];
	}
	ret_drops[TM_DROP_SYMBOLIZER_DIED] += ours;
	for (int i = 0; i < TM_DROP_N; i++)
		all += ret_drops[i];
	return all;
}

void accounting_baseline(const struct accounting *reported, const struct tm_counts *counts,
			 struct tm_counts *ret_baseline)
{
	struct tm_counts baseline = *counts;
	struct tm_off_cpu_counts *off_cpu = &baseline.off_cpu;

	baseline.taken = baseline_sum(&reported->on_cpu, baseline.drops);
	off_cpu->taken = baseline_sum(&reported->off_cpu, off_cpu->drops);
	off_cpu->taken_ns = baseline_sum(&reported->off_cpu_ns, off_cpu->drops_ns);
	baseline.owed = baseline.hits + reported->not_run;
	*ret_baseline = baseline;
}

static void sum_since(struct accounting_sum *sum, struct accounting_sum *reported)
{
	uint64_t accounted;

	subtract_reported(&sum->exported, &reported->exported);
	subtract_reported(&sum->taken, &reported->taken);
	accounted = sum->exported;
	for (int i = 0; i < TM_DROP_N; i++) {
		subtract_reported(&sum->drops[i], &reported->drops[i]);
		subtract_reported(&sum->own[i], &reported->own[i]);
		accounted += sum->drops[i];
	}
	sum->unexplained = distance(sum->taken, accounted);
}

void accounting_since(struct accounting *sums, struct accounting *reported)
{
	sum_since(&sums->on_cpu, &reported->on_cpu);
	sum_since(&sums->off_cpu, &reported->off_cpu);
	sum_since(&sums->off_cpu_ns, &reported->off_cpu_ns);
	subtract_reported(&sums->not_run, &reported->not_run);
}

/* Those that the collector counted. */
static void set_drops(uint64_t *drops, const struct accounting_sum *sum)
{
	for (int i = 0; i < TM_DROP_N; i++)
		drops[i] = excess(sum->drops[i], sum->own[i]);
}

static void set_current(struct tm_counts *counts, const struct tm_counts *now)
{
	counts->measured_ns = now->measured_ns;
	counts->bpf_map_bytes = now->bpf_map_bytes;
	counts->cpus = now->cpus;
	counts->selected = now->selected;
	counts->lag_max_ns = now->lag_max_ns;
	counts->processes_known = now->processes_known;
	counts->files_known = now->files_known;
	counts->attached = now->attached;
	counts->tables = now->tables;
	counts->table_bytes = now->table_bytes;
	counts->off_cpu.stratum_ns = now->off_cpu.stratum_ns;
}

void accounting_counts_from(struct tm_counts *counts, const struct tm_counts *before)
{
	const struct tm_counts now = *counts;
	uint64_t values[sizeof(now) / 8], old[sizeof(now) / 8];

	memcpy(values, &now, sizeof(values));
	memcpy(old, before, sizeof(old));
	for (size_t i = 0; i < sizeof(now) / 8; i++)
		values[i] = excess(values[i], old[i]);
	memcpy(counts, values, sizeof(values));
	set_current(counts, &now);
}

void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *sums)
{
	accounting_counts_from(counts, before);
	counts->taken = sums->on_cpu.taken;
	counts->owed = counts->hits + sums->not_run;
	set_drops(counts->drops, &sums->on_cpu);
	counts->off_cpu.taken = sums->off_cpu.taken;
	counts->off_cpu.taken_ns = sums->off_cpu_ns.taken;
	set_drops(counts->off_cpu.drops, &sums->off_cpu);
	set_drops(counts->off_cpu.drops_ns, &sums->off_cpu_ns);
}
