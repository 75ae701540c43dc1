/* SPDX-License-Identifier: Apache-2.0 */
/* restart - with --restart: starts a new symbolizer in place of one that died while recording */

#include "cli/restart.h"

#include "cli/exit_code.h"
#include "cli/start.h"
#include "cli/terminal.h"

/* Its cost belongs to the recording. */
static void keep_cost(struct session *session)
{
	const struct child *dead = &session->symbolizer;

	session->dead_cpu_ns += dead->cpu_ns;
	if (dead->rss_bytes > session->dead_rss_bytes)
		session->dead_rss_bytes = dead->rss_bytes;
}

/* Return: 0, or an exit code, after printing why. */
static int restart(struct session *session)
{
	struct child *symbolizer = &session->symbolizer;
	int r;

	session->restarts++;
	child_print_errors(symbolizer);
	child_kill(symbolizer);
	keep_cost(session);
	*symbolizer = CHILD_NULL;
	parser_restart_renumber(&session->parser);
	intervals_on_death(&session->intervals);
	session_forget_report(session);
	r = start_symbolizer_again(session);
	if (r == 0)
		terminal_print("restarted tidemark-symbolizer (%u of at most %u times)",
			       session->restarts, SESSION_RESTARTS_MAX);
	return r;
}

void restart_if_pending(struct session *session)
{
	int r = EXIT_CODE_FAILED;

	if (!session->restart_pending)
		return;
	session->restart_pending = false;
	session->symbolizer.lost = false;
	if (session_may_restart(session, &session->symbolizer))
		r = restart(session);
	if (r == 0)
		return;
	session->restarts = SESSION_RESTARTS_MAX;
	session_lose(session, &session->symbolizer, r);
}
