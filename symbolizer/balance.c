/* SPDX-License-Identifier: Apache-2.0 */
/*
 * balance - the sum that must come out: taken = exported + drops, by reason
 */

#include "symbolizer/balance.h"

static uint64_t beyond(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Samples that were pushed but never came out of the ring as good records. */
static uint64_t bad_samples(const struct tm_counts *counts, const struct balance_read *read)
{
	uint64_t missing = beyond(counts->pushed, read->samples);

	if (read->broken)
		return missing;
	return missing < read->bad_records ? missing : read->bad_records;
}

void balance_close(struct balance *balance, const struct tm_counts *counts,
		   const struct balance_read *read)
{
	uint64_t accounted = read->exported;

	*balance = (struct balance){.not_run = beyond(counts->owed, counts->hits)};
	balance->own[TM_DROP_BAD_RECORD] = bad_samples(counts, read);
	balance->own[TM_DROP_MEMORY] = read->memory;
	for (int i = 0; i < TM_DROP_N; i++) {
		balance->drops[i] = counts->drops[i] + balance->own[i];
		accounted += balance->drops[i];
	}
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
