/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * balance - the sum that must come out: taken = exported + drops, by reason
 */

#include "shared/record.h"

struct balance {
	uint64_t taken;
	uint64_t drops[TM_DROP_N]; /* the collector's and our own */
	uint64_t own[TM_DROP_N];   /* our own alone */
	uint64_t not_run;
	uint64_t unexplained; /* 0 in every honest run */
};

struct balance_read {     /* what became of the records here */
	uint64_t samples; /* read and good */
	uint64_t bad_records;
	uint64_t memory;
	uint64_t exported;
	int broken;         /* the ring became unreadable */
	int collector_died; /* no END came */
};

void balance_close(struct balance *balance, const struct tm_counts *counts,
		   const struct balance_read *read);
