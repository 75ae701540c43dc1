/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * balance - the completeness statement: samples taken = exported + dropped by reason, exactly
 *
 * Shape      the collector says what was taken and dropped on its side, the symbolizer what it
 *            exported and dropped. Where one of them died, the difference is what died with it.
 */

#include <stdint.h>

#include "shared/control.h"

struct balance {
	uint64_t taken;
	uint64_t exported;
	uint64_t drops[TM_DROP_N];
	uint64_t dropped; /* sum of drops */
	uint64_t truncated[TM_STOP_N];
	uint64_t cut;       /* sum of truncated, NONE left out */
	uint64_t not_run;   /* owed by the perf events, never run by the kernel */
	int64_t difference; /* taken - exported - dropped; anything but 0 is an error of ours */
};

enum balance_death {
	BALANCE_ALIVE,
	BALANCE_COLLECTOR_DIED,
	BALANCE_SYMBOLIZER_DIED, /* @result is not known and not looked at */
};

void balance_make(struct balance *ret_balance, const struct tm_counts *counts,
		  const struct tm_result *result, enum balance_death death);
