/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opener - starts tidemark-opener, which opens sampled files for the collector, and another one
 * when it dies
 */

#include "cli/opener.h"

#include <string.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/clock.h"

int opener_start(struct opener *opener, struct starter_client *starter)
{
	return symbolizer_child_start(&opener->child, starter, PROGRAM_PATHS_OPENER);
}

void opener_restart(struct opener *opener, struct starter_client *starter, struct child *collector)
{
	_cleanup_(tm_closep) int socket = -1;
	int r;

	if (!restart_limit_allows(&opener->limit, tm_clock_ns())) {
		opener->missing = true;
		symbolizer_child_lose(&opener->child,
				      "not restarting it before a minute is over: until then "
				      "functions of new files stay unnamed");
		return;
	}
	if (!opener->missing)
		symbolizer_child_lose(&opener->child, "restarting it");
	opener->missing = false;
	socket = opener_start(opener, starter);
	if (socket < 0)
		return;
	r = child_send_fd(collector, TM_CONTROL_OPENER, ++opener->number, socket);
	if (r < 0)
		terminal_verbose("the new tidemark-opener could not be sent to %s: %s",
				 collector->name, strerror(-r));
}

bool opener_may_restart(const struct opener *opener)
{
	return opener->missing && tm_clock_ns() >= restart_limit_next_ns(&opener->limit);
}

void opener_kill(struct opener *opener, uint64_t lost)
{
	if (lost == opener->number)
		child_end(&opener->child.child);
}

void opener_stop(struct opener *opener, unsigned ms)
{
	symbolizer_child_await(&opener->child, ms);
}
