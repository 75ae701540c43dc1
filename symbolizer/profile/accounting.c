/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting - checks that every sample is accounted for: taken = exported + drops, by reason
 */

#include "symbolizer/profile/accounting.h"

#include <string.h>

/* Return: a - b, or 0 if b is larger. */
static uint64_t excess(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Samples that were pushed into the ring but were not read as valid records. */
static uint64_t bad_samples(const struct tm_counts *counts, const struct accounting_read *read)
{
	uint64_t missing = excess(counts->pushed, read->samples);

	if (read->broken)
		return missing;
	return missing < read->bad_records ? missing : read->bad_records;
}

/* Return: the samples whose fate is known. */
static uint64_t add_up(struct accounting *sum, const struct tm_counts *counts,
		       const struct accounting_read *read, uint64_t bad_records)
{
	uint64_t accounted = read->exported;

	*sum = (struct accounting){
		.exported = read->exported,
		.not_run = excess(counts->owed, counts->hits),
	};
	sum->own[TM_DROP_BAD_RECORD] = bad_records;
	sum->own[TM_DROP_MEMORY] = read->memory_drops;
	for (int i = 0; i < TM_DROP_N; i++) {
		sum->drops[i] = counts->drops[i] + sum->own[i];
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

void accounting_close(struct accounting *sum, const struct tm_counts *counts,
		      const struct accounting_read *read)
{
	uint64_t accounted = add_up(sum, counts, read, bad_samples(counts, read));

	sum->taken = counts->taken;
	if (read->collector_died) {
		uint64_t lost = excess(counts->taken, accounted);

		sum->own[TM_DROP_COLLECTOR_DIED] = lost;
		sum->drops[TM_DROP_COLLECTOR_DIED] += lost;
		/* It may have written records after it last updated its counts. */
		if (accounted > sum->taken)
			sum->taken = accounted;
		return;
	}
	sum->unexplained = sum->taken > accounted ? sum->taken - accounted : accounted - sum->taken;
}

void accounting_so_far(struct accounting *sum, const struct tm_counts *counts,
		       const struct accounting_read *read)
{
	uint64_t accounted = add_up(sum, counts, read, read->bad_samples);

	sum->taken = accounted;
}

void accounting_since(struct accounting *sum, struct accounting *reported)
{
	uint64_t accounted;

	subtract_reported(&sum->exported, &reported->exported);
	subtract_reported(&sum->taken, &reported->taken);
	subtract_reported(&sum->not_run, &reported->not_run);
	accounted = sum->exported;
	for (int i = 0; i < TM_DROP_N; i++) {
		subtract_reported(&sum->drops[i], &reported->drops[i]);
		subtract_reported(&sum->own[i], &reported->own[i]);
		accounted += sum->drops[i];
	}
	sum->unexplained = sum->taken > accounted ? sum->taken - accounted : accounted - sum->taken;
}

void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *sum)
{
	const struct tm_counts now = *counts;
	uint64_t values[sizeof(now) / 8], old[sizeof(now) / 8];

	memcpy(values, &now, sizeof(values));
	memcpy(old, before, sizeof(old));
	for (size_t i = 0; i < sizeof(now) / 8; i++)
		values[i] = excess(values[i], old[i]);
	memcpy(counts, values, sizeof(values));
	counts->bpf_ns_valid = now.bpf_ns_valid;
	counts->bpf_map_bytes = now.bpf_map_bytes;
	counts->cpus = now.cpus;
	counts->selected = now.selected;
	counts->lag_p99_ns = now.lag_p99_ns;
	counts->lag_max_ns = now.lag_max_ns;
	counts->processes_known = now.processes_known;
	counts->files_known = now.files_known;
	counts->attached = now.attached;
	counts->tables = now.tables;
	counts->table_bytes = now.table_bytes;
	counts->taken = sum->taken;
	counts->owed = counts->hits + sum->not_run;
	for (int i = 0; i < TM_DROP_N; i++)
		counts->drops[i] = excess(sum->drops[i], sum->own[i]);
}
