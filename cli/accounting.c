/* SPDX-License-Identifier: Apache-2.0 */
/* accounting - what the reports so far have told, so that the next one tells only the rest */

#include "cli/accounting.h"

#include <string.h>

#define FIELDS (sizeof(struct tm_counts) / sizeof(uint64_t))
_Static_assert(sizeof(struct tm_counts) % sizeof(uint64_t) == 0, "counts are 64-bit numbers");

/* The counts as a row of numbers, so that one that is added later is not forgotten here. */
struct row {
	uint64_t field[FIELDS];
};

static struct row row_of(const struct tm_counts *counts)
{
	struct row row;

	memcpy(&row, counts, sizeof(row));
	return row;
}

void accounting_copy_states(const struct tm_counts *whole, struct tm_counts *counts)
{
	counts->bpf_ns = whole->bpf_ns; /* told since the start, as all of the cost is */
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

static uint64_t less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

void accounting_rest(const struct accounting *ledger, const struct tm_counts *whole,
		     struct tm_counts *ret_rest)
{
	struct tm_counts all = *whole;
	struct row rest, told = row_of(&ledger->told);
	size_t i;

	all.drops[TM_DROP_SYMBOLIZER_DIED] =
		less(all.drops[TM_DROP_SYMBOLIZER_DIED], ledger->buried);
	rest = row_of(&all);
	for (i = 0; i < FIELDS; i++)
		rest.field[i] = less(rest.field[i], told.field[i]);
	memcpy(ret_rest, &rest, sizeof(rest));
	accounting_copy_states(whole, ret_rest);
}

void accounting_baseline(const struct accounting *ledger, struct tm_counts *ret_counts)
{
	unsigned i;

	*ret_counts = ledger->told;
	ret_counts->drops[TM_DROP_SYMBOLIZER_DIED] += ledger->buried;
	ret_counts->taken = 0;
	for (i = 0; i < TM_DROP_N; i++)
		ret_counts->taken += ret_counts->drops[i];
}

void accounting_add(struct accounting *ledger, const struct tm_counts *counts,
		    const struct tm_result *result, const struct balance *balance)
{
	struct row told = row_of(&ledger->told), more = row_of(counts);
	size_t i;

	for (i = 0; i < FIELDS; i++)
		told.field[i] += more.field[i];
	memcpy(&ledger->told, &told, sizeof(told));
	ledger->reports++;
	ledger->taken += balance->taken;
	ledger->exported += balance->exported;
	ledger->dropped += balance->dropped;
	ledger->not_run += balance->not_run;
	ledger->handled += result->exported;
	for (i = 0; i < TM_DROP_N; i++)
		ledger->handled += result->drops[i];
}

void accounting_on_death(struct accounting *ledger)
{
	ledger->buried += ledger->handled;
	ledger->handled = 0;
}
