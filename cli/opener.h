/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener - starts tidemark-opener, which opens sampled files for the collector, and another one
 * when it dies
 *
 * Privileges CAP_SYS_PTRACE, and unless --public-files is given CAP_CHECKPOINT_RESTORE and
 *            CAP_DAC_READ_SEARCH, as far as this account has them. The collector has none of these.
 * Limits     OPENER_RESTARTS_MAX in one recording; then files that are new stay unnamed.
 */

#include <stdbool.h>

#include "cli/symbolizer_child.h"

#define OPENER_RESTARTS_MAX 5u

struct opener {
	struct symbolizer_child child;
	unsigned restarts;
};

/* Return: the collector's end of its socket; -1: it could not be started, which is printed. */
int opener_start(struct opener *opener, bool public_files, int program,
		 struct uid_pool_account account);
/* Its process has ended by itself: starts another one, and sends its socket to @collector. */
void opener_restart(struct opener *opener, bool public_files, int program,
		    struct uid_pool_account account, struct child *collector);
/* Waits at most @ms for it to end, since its socket is closed, then kills it. Total. */
void opener_stop(struct opener *opener, unsigned ms);
