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

/* What collector and symbolizer counted in one unit. */
struct sides {
	uint64_t taken, exported;
	const uint64_t *collector, *symbolizer; /* drops */
};

static struct sides sides_of(enum accounting_unit unit, const struct tm_counts *counts,
			     const struct tm_result *result)
{
	const struct tm_off_cpu_counts *taken = &counts->off_cpu;
	const struct tm_off_cpu_result *exported = &result->off_cpu;

	switch (unit) {
	case ACCOUNTING_OFF_CPU:
		return (struct sides){taken->taken, exported->exported, taken->drops,
				      exported->drops};
	case ACCOUNTING_OFF_CPU_NS:
		return (struct sides){taken->taken_ns, exported->exported_ns, taken->drops_ns,
				      exported->drops_ns};
	case ACCOUNTING_ON_CPU:
	default:
		return (struct sides){counts->taken, result->exported, counts->drops,
				      result->drops};
	}
}

/* Adds what a program that died took with it. */
static void add_dead(struct accounting_sum *sum, enum accounting_death death)
{
	uint64_t known = sum->exported + sum->dropped, lost;

	/* The last counts that a dead collector sent may be older than what it had handed over. */
	if (death == ACCOUNTING_COLLECTOR_DIED && sum->taken < known)
		sum->taken = known;
	if (sum->taken <= known)
		return;
	lost = sum->taken - known;
	if (death == ACCOUNTING_COLLECTOR_DIED)
		sum->drops[TM_DROP_COLLECTOR_DIED] += lost;
	else
		sum->drops[TM_DROP_SYMBOLIZER_DIED] += lost;
	sum->dropped += lost;
}

static void make_sum(struct accounting_sum *sum, const struct sides *sides,
		     enum accounting_death death)
{
	bool with_result = death != ACCOUNTING_SYMBOLIZER_DIED;

	sum->taken = sides->taken;
	sum->exported = with_result ? sides->exported : 0;
	for (unsigned i = 0; i < TM_DROP_N; i++) {
		sum->drops[i] = sides->collector[i] + (with_result ? sides->symbolizer[i] : 0);
		sum->dropped += sum->drops[i];
	}
	if (death != ACCOUNTING_NONE_DIED)
		add_dead(sum, death);
}

void accounting_balance_make(struct accounting_balance *ret_balance, const struct tm_counts *counts,
			     const struct tm_result *result, enum accounting_death death)
{
	struct accounting_balance balance = {0};

	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++) {
		const struct sides sides = sides_of(unit, counts, result);

		make_sum(&balance.of[unit], &sides, death);
	}
	if (death != ACCOUNTING_SYMBOLIZER_DIED)
		memcpy(balance.truncated, result->truncated, sizeof(balance.truncated));
	for (unsigned i = TM_STOP_NONE + 1; i < TM_STOP_N; i++)
		balance.cut += balance.truncated[i];
	if (counts->owed > counts->hits)
		balance.not_run = counts->owed - counts->hits;
	*ret_balance = balance;
}

int64_t accounting_difference(const struct accounting_sum *sum)
{
	return (int64_t)(sum->taken - sum->exported - sum->dropped);
}

bool accounting_balances(const struct accounting_balance *balance)
{
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++)
		if (accounting_difference(&balance->of[unit]) != 0)
			return false;
	return true;
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
	counts->measured_ns = whole->measured_ns;
	counts->bpf_map_bytes = whole->bpf_map_bytes;
	counts->cpus = whole->cpus;
	counts->selected = whole->selected;
	counts->lag_max_ns = whole->lag_max_ns;
	counts->processes_known = whole->processes_known;
	counts->files_known = whole->files_known;
	counts->attached = whole->attached;
	counts->tables = whole->tables;
	counts->table_bytes = whole->table_bytes;
	counts->off_cpu.stratum_ns = whole->off_cpu.stratum_ns;
}

/* Return: 0 if @part is larger. Either may have wrapped around: the ns of weeks do. */
static uint64_t subtract(uint64_t whole, uint64_t part)
{
	return whole - part <= INT64_MAX ? whole - part : 0;
}

/* Where the collector counts what it had handed to symbolizers that died. */
static uint64_t *died_with_symbolizer(struct tm_counts *counts, enum accounting_unit unit)
{
	switch (unit) {
	case ACCOUNTING_OFF_CPU:
		return &counts->off_cpu.drops[TM_DROP_SYMBOLIZER_DIED];
	case ACCOUNTING_OFF_CPU_NS:
		return &counts->off_cpu.drops_ns[TM_DROP_SYMBOLIZER_DIED];
	case ACCOUNTING_ON_CPU:
	default:
		return &counts->drops[TM_DROP_SYMBOLIZER_DIED];
	}
}

void accounting_rest(const struct accounting *accounting, const struct tm_counts *whole,
		     struct tm_counts *ret_rest)
{
	struct tm_counts all = *whole;
	struct numbers rest, reported = numbers_of(&accounting->reported);

	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++) {
		uint64_t *died = died_with_symbolizer(&all, unit);

		*died = subtract(*died, accounting->dead[unit]);
	}
	rest = numbers_of(&all);
	for (size_t i = 0; i < FIELDS; i++)
		rest.field[i] = subtract(rest.field[i], reported.field[i]);
	memcpy(ret_rest, &rest, sizeof(rest));
	accounting_copy_states(whole, ret_rest);
}

static uint64_t sum_of(const uint64_t drops[TM_DROP_N])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < TM_DROP_N; i++)
		sum += drops[i];
	return sum;
}

void accounting_baseline(const struct accounting *accounting, struct tm_counts *ret_counts)
{
	*ret_counts = accounting->reported;
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++)
		*died_with_symbolizer(ret_counts, unit) += accounting->dead[unit];
	ret_counts->taken = sum_of(ret_counts->drops);
	ret_counts->off_cpu.taken = sum_of(ret_counts->off_cpu.drops);
	ret_counts->off_cpu.taken_ns = sum_of(ret_counts->off_cpu.drops_ns);
}

void accounting_sum_add(struct accounting_sum *sum, const struct accounting_sum *more)
{
	sum->taken += more->taken;
	sum->exported += more->exported;
	sum->dropped += more->dropped;
	for (unsigned i = 0; i < TM_DROP_N; i++)
		sum->drops[i] += more->drops[i];
}

void accounting_add(struct accounting *accounting, const struct tm_counts *counts,
		    const struct tm_result *result, const struct accounting_balance *balance)
{
	struct numbers reported = numbers_of(&accounting->reported), more = numbers_of(counts);

	for (size_t i = 0; i < FIELDS; i++)
		reported.field[i] += more.field[i];
	memcpy(&accounting->reported, &reported, sizeof(reported));
	accounting->reports++;
	accounting->not_run += balance->not_run;
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++) {
		const struct sides sides = sides_of(unit, counts, result);

		accounting_sum_add(&accounting->of[unit], &balance->of[unit]);
		accounting->alive[unit] += sides.exported + sum_of(sides.symbolizer);
	}
}

void accounting_on_death(struct accounting *accounting)
{
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++) {
		accounting->dead[unit] += accounting->alive[unit];
		accounting->alive[unit] = 0;
	}
}
