/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stress - what a symbolizer keeps while it records, for programs that play its reader
 */

#include "symbolizer/base/ksyms.h"
#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/interval.h"
#include "tests/stress/check.h"

struct stress {
	struct budget_total total;
	struct budget tables; /* of processes and files */
	struct hash_seed seed;
	struct process_table processes;
	struct files files;
	struct methods methods;
	struct tm_retire_queue queue;
	struct symbol_store store;
	struct ksyms kernel; /* no table came */
	struct interval *interval;
};
extern struct stress stress;

/* The caller has set the limit of the total; that of `tables` is no limit. */
void stress_begin(uint64_t store_bytes);
/* Nothing may be charged after it. */
void stress_end(void);
