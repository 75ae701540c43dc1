/* SPDX-License-Identifier: Apache-2.0 */
/* balance - the completeness statement: samples taken = exported + dropped by reason, exactly */

#include "cli/balance.h"

#include <string.h>

/* What a program that died took with it. */
static void add_dead(struct balance *balance, enum balance_death death)
{
	uint64_t known = balance->exported + balance->dropped, lost;

	/* The last counts that a dead collector sent may be older than what it had handed over. */
	if (death == BALANCE_COLLECTOR_DIED && balance->taken < known)
		balance->taken = known;
	if (balance->taken <= known)
		return;
	lost = balance->taken - known;
	if (death == BALANCE_COLLECTOR_DIED)
		balance->drops[TM_DROP_COLLECTOR_DIED] += lost;
	else
		balance->drops[TM_DROP_SYMBOLIZER_DIED] += lost;
	balance->dropped += lost;
}

void balance_make(struct balance *ret_balance, const struct tm_counts *counts,
		  const struct tm_result *result, enum balance_death death)
{
	struct balance balance = {.taken = counts->taken};
	unsigned i;

	if (death != BALANCE_SYMBOLIZER_DIED) {
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
	if (death != BALANCE_ALIVE)
		add_dead(&balance, death);
	balance.difference = (int64_t)(balance.taken - balance.exported - balance.dropped);
	*ret_balance = balance;
}
