/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * quarantine - files that are not parsed for a while, since they cost the parser a worker
 *
 * Reason     a worker that crashed, or met the limit of its CPU time or memory, will do so again.
 *            One that hangs and does not die stays for as long as its file system hangs, beyond its
 *            parser, too. What was made of the file before is kept.
 * Limits     QUARANTINE_MAX files, each for QUARANTINE_MS. When all places are taken, the one that
 *            would be free first goes.
 */

#include <stdbool.h>

#include "shared/event.h"

#define QUARANTINE_MAX 256u
#define QUARANTINE_MS  3600000

struct quarantine { /* all 0: empty */
	struct {
		struct tm_identity identity;
		int64_t until_ms; /* 0: free */
	} files[QUARANTINE_MAX];
	uint64_t added;
};

void quarantine_add(struct quarantine *quarantine, const struct tm_identity *identity,
		    int64_t now_ms);
bool quarantine_holds(const struct quarantine *quarantine, const struct tm_identity *identity,
		      int64_t now_ms);
