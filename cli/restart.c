/* SPDX-License-Identifier: Apache-2.0 */
/* restart - with --restart: a new symbolizer in the place of one that died while it recorded */

#include "cli/restart.h"

#include <string.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "cli/start.h"

int revive_follows(const struct session *session, const struct program *program)
{
	return session->options->restart && session->start && program == &session->symbolizer &&
	       session->phase == SESSION_RECORDING && session->restarts < REVIVE_MAX &&
	       !session->collector.lost && !session->collector.done;
}

/* What it cost is not forgotten with it. */
static void keep_cost(struct session *session)
{
	struct program *dead = &session->symbolizer;

	session->dead_cpu_ns += dead->cpu_ns;
	if (dead->rss_bytes > session->dead_rss_bytes)
		session->dead_rss_bytes = dead->rss_bytes;
}

int revive_run(struct session *session)
{
	struct program *dead = &session->symbolizer;

	session->restarts++;
	program_print_errors(dead);
	program_kill(dead);
	keep_cost(session);
	*dead = PROGRAM_NULL;
	series_bury(session);
	say("a new tidemark-symbolizer goes on (%u of at most %u)", session->restarts, REVIVE_MAX);
	return start_symbolizer_again(session->start, session);
}
