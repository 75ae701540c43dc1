/* SPDX-License-Identifier: Apache-2.0 */
/* restart_limit - how often a program that ended is started again: so often within a minute */

#include "cli/restart_limit.h"

uint64_t restart_limit_next_ns(const struct restart_limit *limit)
{
	if (limit->started < RESTART_LIMIT_MAX)
		return 0;
	return limit->started_ns[limit->started % RESTART_LIMIT_MAX] + RESTART_LIMIT_WITHIN_NS;
}

bool restart_limit_allows(struct restart_limit *limit, uint64_t now_ns)
{
	if (now_ns < restart_limit_next_ns(limit)) {
		limit->refused++;
		return false;
	}
	limit->started_ns[limit->started++ % RESTART_LIMIT_MAX] = now_ns;
	return true;
}
