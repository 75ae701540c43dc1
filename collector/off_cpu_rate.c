/* SPDX-License-Identifier: Apache-2.0 */
/* off_cpu_rate - keeps the rate of off-CPU samples at its target, by the length of a stratum */

#include "collector/off_cpu_rate.h"

#include <stdbool.h>

void off_cpu_rate_adapt(struct off_cpu_rate *rate, uint64_t taken, uint64_t lost, uint64_t now_ms)
{
	uint64_t ms = now_ms - rate->changed_ms, count = taken - rate->taken;
	uint64_t wanted = rate->target * ms / 1000 + 1;
	bool shed = lost != rate->lost;

	if (ms < OFF_CPU_RATE_MS)
		return;
	rate->taken = taken;
	rate->lost = lost;
	rate->changed_ms = now_ms;
	if (!shed && count <= wanted / 4 && rate->shift > 0)
		rate->shift--;
	for (; (shed || count > wanted) && rate->shift < OFF_CPU_RATE_SHIFT_MAX; count /= 2) {
		rate->shift++;
		shed = false;
	}
}
