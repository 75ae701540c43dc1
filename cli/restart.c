/* SPDX-License-Identifier: Apache-2.0 */
/* restart - with --restart: a new symbolizer in the place of one that died while it recorded */

#include "cli/restart.h"

#include <string.h>

#include "cli/exit_code.h"
#include "cli/start.h"
#include "cli/terminal.h"

int restart_follows(const struct session *session, const struct child *program)
{
	return session->options->restart && session->start && program == &session->symbolizer &&
	       session->phase == SESSION_RECORDING && session->restarts < RESTART_MAX &&
	       !session->collector.lost && !session->collector.done;
}

/* What it cost is not forgotten with it. */
static void keep_cost(struct session *session)
{
	struct child *dead = &session->symbolizer;

	session->dead_cpu_ns += dead->cpu_ns;
	if (dead->rss_bytes > session->dead_rss_bytes)
		session->dead_rss_bytes = dead->rss_bytes;
}

int restart_run(struct session *session)
{
	struct child *dead = &session->symbolizer;

	session->restarts++;
	child_print_errors(dead);
	child_kill(dead);
	keep_cost(session);
	*dead = CHILD_NULL;
	intervals_on_death(session);
	say("a new tidemark-symbolizer goes on (%u of at most %u)", session->restarts, RESTART_MAX);
	return start_symbolizer_again(session->start, session);
}
