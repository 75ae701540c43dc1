/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting - the sum that must come out: taken = exported + drops, by reason
 */

#include "symbolizer/profile/accounting.h"

#include <string.h>

static uint64_t beyond(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Samples that were pushed but never came out of the ring as good records. */
static uint64_t bad_samples(const struct tm_counts *counts, const struct accounting_read *read)
{
	uint64_t missing = beyond(counts->pushed, read->samples);

	if (read->broken)
		return missing;
	return missing < read->bad_records ? missing : read->bad_records;
}

/* Return: samples accounted for. */
static uint64_t add_up(struct accounting *balance, const struct tm_counts *counts,
		       const struct accounting_read *read, uint64_t bad)
{
	uint64_t accounted = read->exported;

	*balance = (struct accounting){
		.exported = read->exported,
		.not_run = beyond(counts->owed, counts->hits),
	};
	balance->own[TM_DROP_BAD_RECORD] = bad;
	balance->own[TM_DROP_MEMORY] = read->memory;
	for (int i = 0; i < TM_DROP_N; i++) {
		balance->drops[i] = counts->drops[i] + balance->own[i];
		accounted += balance->drops[i];
	}
	return accounted;
}

/* Makes @value what it is beyond @reported, which grows by as much. */
static void advance(uint64_t *value, uint64_t *reported)
{
	*value = beyond(*value, *reported);
	*reported += *value;
}

void accounting_close(struct accounting *balance, const struct tm_counts *counts,
		      const struct accounting_read *read)
{
	uint64_t accounted = add_up(balance, counts, read, bad_samples(counts, read));

	balance->taken = counts->taken;
	if (read->collector_died) {
		uint64_t lost = beyond(counts->taken, accounted);

		balance->own[TM_DROP_COLLECTOR_DIED] = lost;
		balance->drops[TM_DROP_COLLECTOR_DIED] += lost;
		/* It may have died between its last records and its last counts. */
		if (accounted > balance->taken)
			balance->taken = accounted;
		return;
	}
	balance->unexplained = balance->taken > accounted ? balance->taken - accounted
							  : accounted - balance->taken;
}

void accounting_so_far(struct accounting *balance, const struct tm_counts *counts,
		       const struct accounting_read *read)
{
	uint64_t accounted = add_up(balance, counts, read, read->bad_samples);

	balance->taken = accounted;
}

void accounting_since(struct accounting *balance, struct accounting *reported)
{
	uint64_t accounted;

	advance(&balance->exported, &reported->exported);
	advance(&balance->taken, &reported->taken);
	advance(&balance->not_run, &reported->not_run);
	accounted = balance->exported;
	for (int i = 0; i < TM_DROP_N; i++) {
		advance(&balance->drops[i], &reported->drops[i]);
		advance(&balance->own[i], &reported->own[i]);
		accounted += balance->drops[i];
	}
	balance->unexplained = balance->taken > accounted ? balance->taken - accounted
							  : accounted - balance->taken;
}

void accounting_counts_since(struct tm_counts *counts, const struct tm_counts *before,
			     const struct accounting *balance)
{
	const struct tm_counts now = *counts;
	uint64_t words[sizeof(now) / 8], old[sizeof(now) / 8];

	memcpy(words, &now, sizeof(words));
	memcpy(old, before, sizeof(old));
	for (size_t i = 0; i < sizeof(now) / 8; i++)
		words[i] = beyond(words[i], old[i]);
	memcpy(counts, words, sizeof(words));
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
	counts->taken = balance->taken;
	counts->owed = counts->hits + balance->not_run;
	for (int i = 0; i < TM_DROP_N; i++)
		counts->drops[i] = beyond(balance->drops[i], balance->own[i]);
}
