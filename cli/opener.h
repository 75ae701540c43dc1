/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener - starts tidemark-opener, which opens sampled files for the collector, and another one
 * when it dies
 *
 * Privileges CAP_SYS_PTRACE, and unless --public-files is given CAP_CHECKPOINT_RESTORE and
 *            CAP_DAC_READ_SEARCH, as far as this account has them. The collector has none of these.
 * Limits     as restart_limit allows; until the next one, files that are new stay unnamed.
 */

#include <stdbool.h>

#include "cli/restart_limit.h"
#include "cli/symbolizer_child.h"

struct opener {
	struct symbolizer_child child;
	struct restart_limit limit;
	uint64_t number; /* of the last one that was started again; 0: the first */
	bool missing;    /* it has ended, and the limit does not allow another one yet */
};

/* Return: the collector's end of its socket; -1: it could not be started, which is printed. */
int opener_start(struct opener *opener, struct starter_client *starter);
/* Its process has ended by itself: starts another one, and sends its socket to @collector. Where
 * the limit does not allow that, call it again once opener_may_restart. */
void opener_restart(struct opener *opener, struct starter_client *starter, struct child *collector);
/* Whether one is missing that may start now. */
bool opener_may_restart(const struct opener *opener);
/* The collector waited for the answer of the one with the number @lost in vain: ends it, so that
 * another one is started. Does nothing if it is replaced already. */
void opener_kill(struct opener *opener, uint64_t lost);
/* Waits at most @ms for it to end, since its socket is closed, then kills it. Total. */
void opener_stop(struct opener *opener, unsigned ms);
