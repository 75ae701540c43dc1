/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter - starts tidemark-exporter, which sends what the symbolizers hand over by OTLP
 *
 * One serves all symbolizers of a recording: its queue outlives a symbolizer that dies. It ends
 * once no symbolizer and not the command have its socket any more, and what it has is sent.
 */

#include "cli/symbolizer_child.h"

struct exporter {
	struct symbolizer_child child;
	int socket; /* the symbolizers' end; -1: there is none */
};
#define EXPORTER_NULL ((struct exporter){.child = SYMBOLIZER_CHILD_NULL, .socket = -1})

/* Unless it runs. Where it cannot be started, that is printed. */
void exporter_start(struct exporter *exporter, struct starter_client *starter);
/* Its process has ended by itself. @expected: it was to end, if it says that nothing went wrong. */
void exporter_end(struct exporter *exporter, bool expected);
/* Waits until it has sent what it has, at most @ms; then kills it. Total. */
void exporter_stop(struct exporter *exporter, unsigned ms);
