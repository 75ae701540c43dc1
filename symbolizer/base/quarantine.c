/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quarantine - files that are not parsed for a while, since they cost the parser a worker
 */

#include "symbolizer/base/quarantine.h"

#include <string.h>

void quarantine_add(struct quarantine *quarantine, const struct tm_identity *identity,
		    int64_t now_ms)
{
	unsigned place = 0;

	for (unsigned i = 1; i < QUARANTINE_MAX; i++)
		if (quarantine->files[i].until_ms < quarantine->files[place].until_ms)
			place = i;
	quarantine->files[place].identity = *identity;
	quarantine->files[place].until_ms = now_ms + QUARANTINE_MS;
	quarantine->added++;
}

bool quarantine_holds(const struct quarantine *quarantine, const struct tm_identity *identity,
		      int64_t now_ms)
{
	for (unsigned i = 0; i < QUARANTINE_MAX; i++)
		if (quarantine->files[i].until_ms > now_ms &&
		    memcmp(&quarantine->files[i].identity, identity, sizeof(*identity)) == 0)
			return true;
	return false;
}
