/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool - starts tidemark-spool, which keeps what the symbolizers hand over on this host
 *
 * One serves all symbolizers of a recording. It ends once no symbolizer and not the command have
 * its socket any more.
 */

#include "cli/symbolizer_child.h"

struct spool {
	struct symbolizer_child child;
	int socket; /* the symbolizers' end; -1: there is none */
};
#define SPOOL_NULL ((struct spool){.child = SYMBOLIZER_CHILD_NULL, .socket = -1})

/* Unless it runs. Where it cannot be started, that is printed. */
void spool_start(struct spool *spool, struct starter_client *starter);
/* Its process has ended by itself. @expected: it was to end, if it says that nothing went wrong. */
void spool_end(struct spool *spool, bool expected);
/* Waits until it has written what it has, at most @ms; then kills it. Total. */
void spool_stop(struct spool *spool, unsigned ms);
