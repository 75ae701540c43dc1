/* SPDX-License-Identifier: Apache-2.0 */
/* stress - what a symbolizer keeps while it records, for programs that play its reader */

#include "tests/stress/stress.h"

struct stress stress = {.total = BUDGET_TOTAL_INIT(0), .seed = {{3, 4}}};

void stress_begin(uint64_t store_bytes)
{
	stress.tables = (struct budget){.limit = UINT64_MAX, .total = &stress.total};
	stress.interval = interval_open(&stress.total, &stress.seed, &stress.processes,
					&stress.files, &stress.methods);
	CHECK(stress.interval != NULL);
	stress.interval->aggregate.period_ns = TM_NS_PER_SECOND / 99;
	process_table_init(&stress.processes, &stress.interval->strings, &stress.tables,
			   &stress.queue);
	files_init(&stress.files, &stress.interval->strings, &stress.tables, &stress.queue);
	methods_init(&stress.methods, &stress.processes, &stress.tables, &stress.queue);
	CHECK(symbol_store_init(&stress.store, store_bytes, &stress.seed) == 0);
}

void stress_end(void)
{
	stress.interval = interval_free(stress.interval);
	process_table_deinit(&stress.processes);
	files_deinit(&stress.files);
	methods_deinit(&stress.methods);
	tm_retire_deinit(&stress.queue);
	symbol_store_deinit(&stress.store);
	CHECK(stress.total.used == 0 && stress.tables.used == 0 && stress.store.budget.used == 0);
}
