/* SPDX-License-Identifier: Apache-2.0 */
/* accounting - taken = exported + dropped by reason, in each report and over all */

#include "cli/accounting.h"

#include <string.h>

#define FIELDS (sizeof(struct tm_counts) / sizeof(uint64_t))
_Static_assert(sizeof(struct tm_counts) % sizeof(uint64_t) == 0, "counts are 64-bit numbers");

/* The counts as an array, so that a count that is added later is not forgotten here. */
struct numbers {
	uint64_t field[FIELDS];
};

/* --- one report ----------------------------------------------------------------------------- */

/* Adds what a program that died took with it. */
static void add_dead(struct accounting_balance *balance, enum accounting_death death)
{
	uint64_t known = balance->exported + balance->dropped, lost;

	/* The last counts that a dead collector sent may be older than what it had handed over. */
	if (death == ACCOUNTING_COLLECTOR_DIED && balance->taken < known)
		balance->taken = known;
	if (balance->taken <= known)
		return;
	lost = balance->taken - known;
	if (death == ACCOUNTING_COLLECTOR_DIED)
		balance->drops[TM_DROP_COLLECTOR_DIED] += lost;
	else
		balance->drops[TM_DROP_SYMBOLIZER_DIED] += lost;
	balance->dropped += lost;
}

void accounting_balance_make(struct accounting_balance *ret_balance, const struct tm_counts *counts,
			     const struct tm_result *result, enum accounting_death death)
{
	struct accounting_balance balance = {.taken = counts->taken};
	unsigned i;

	if (death != ACCOUNTING_SYMBOLIZER_DIED) {
		balance.exported = result->exported;
		memcpy(balance.drops, result->drops, sizeof(balance.drops));
		memcpy(balance.truncated, result->truncated, sizeof(balance.truncated));
	}
	for (i = 0; i < TM_DROP_N; i++) {
		balance.drops[i] += counts->drops[i];
		balance.dropped += balance.drops[i];
	}
	for (i = TM_STOP_NONE + 1; i < TM_STOP_N; i++)
		balance.cut += balance.truncated[i];
	if (counts->owed > counts->hits)
		balance.not_run = counts->owed - counts->hits;
	if (death != ACCOUNTING_NONE_DIED)
		add_dead(&balance, death);
	balance.difference = (int64_t)(balance.taken - balance.exported - balance.dropped);
	*ret_balance = balance;
}

/* --- all reports ---------------------------------------------------------------------------- */

static struct numbers numbers_of(const struct tm_counts *counts)
{
	struct numbers numbers;

	memcpy(&numbers, counts, sizeof(numbers));
	return numbers;
}

void accounting_copy_states(const struct tm_counts *whole, struct tm_counts *counts)
{
	counts->bpf_ns = whole->bpf_ns; /* since the start of the recording, as every cost is */
	counts->bpf_ns_valid = whole->bpf_ns_valid;
	counts->bpf_map_bytes = whole->bpf_map_bytes;
	counts->cpus = whole->cpus;
	counts->selected = whole->selected;
	counts->lag_p99_ns = whole->lag_p99_ns;
	counts->lag_max_ns = whole->lag_max_ns;
	counts->processes_known = whole->processes_known;
	counts->files_known = whole->files_known;
	counts->attached = whole->attached;
	counts->tables = whole->tables;
	counts->table_bytes = whole->table_bytes;
}

static uint64_t subtract(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

void accounting_rest(const struct accounting *accounting, const struct tm_counts *whole,
		     struct tm_counts *ret_rest)
{
	struct tm_counts all = *whole;
	struct numbers rest, reported = numbers_of(&accounting->reported);
	size_t i;

	all.drops[TM_DROP_SYMBOLIZER_DIED] =
		subtract(all.drops[TM_DROP_SYMBOLIZER_DIED], accounting->dead_samples);
	rest = numbers_of(&all);
	for (i = 0; i < FIELDS; i++)
		rest.field[i] = subtract(rest.field[i], reported.field[i]);
	memcpy(ret_rest, &rest, sizeof(rest));
	accounting_copy_states(whole, ret_rest);
}

void accounting_baseline(const struct accounting *accounting, struct tm_counts *ret_counts)
{
	unsigned i;

	*ret_counts = accounting->reported;
	ret_counts->drops[TM_DROP_SYMBOLIZER_DIED] += accounting->dead_samples;
	ret_counts->taken = 0;
	for (i = 0; i < TM_DROP_N; i++)
		ret_counts->taken += ret_counts->drops[i];
}

void accounting_add(struct accounting *accounting, const struct tm_counts *counts,
		    const struct tm_result *result, const struct accounting_balance *balance)
{
	struct numbers reported = numbers_of(&accounting->reported), more = numbers_of(counts);
	size_t i;

	for (i = 0; i < FIELDS; i++)
		reported.field[i] += more.field[i];
	memcpy(&accounting->reported, &reported, sizeof(reported));
	accounting->reports++;
	accounting->taken += balance->taken;
	accounting->exported += balance->exported;
	accounting->dropped += balance->dropped;
	accounting->not_run += balance->not_run;
	accounting->alive_samples += result->exported;
	for (i = 0; i < TM_DROP_N; i++)
		accounting->alive_samples += result->drops[i];
}

void accounting_on_death(struct accounting *accounting)
{
	accounting->dead_samples += accounting->alive_samples;
	accounting->alive_samples = 0;
}
