/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - one recording, from the first record to the last output
 */

#include "symbolizer/session.h"

#include <errno.h>
#include <poll.h>

#include "shared/fdpass.h"

/* The command sends us nothing; what can be read there is its end. */
static int command_has_gone(const struct pollfd *control)
{
	return (control->revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

int session_init(struct session *session, const struct options *options)
{
	int r;

	*session = (struct session){
		.options = options,
		.budget.limit = BUDGET_PROFILE_BYTES,
		.kernel = KERNEL_NULL,
		.parser = CHILD_NULL,
	};
	r = hash_seed_init(&session->seed);
	if (r < 0)
		return r;
	if (strings_init(&session->strings, &session->budget, &session->seed))
		return -ENOMEM;
	process_table_init(&session->processes, &session->strings);
	r = files_init(&session->files, &session->strings);
	if (r < 0)
		return r;
	aggregate_init(&session->aggregate, &session->strings, &session->processes,
		       &session->files);
	feed_init(&session->feed, &session->aggregate);
	peer_init(&session->peer, options->wire_fd, &session->files, &session->kernel);
	return 0;
}

void session_deinit(struct session *session)
{
	feed_deinit(&session->feed);
	aggregate_deinit(&session->aggregate);
	process_table_deinit(&session->processes);
	files_deinit(&session->files);
	kernel_deinit(&session->kernel);
	peer_deinit(&session->peer);
	strings_deinit(&session->strings);
}

int session_is_abandoned(const struct session *session)
{
	struct pollfd control = {.fd = session->options->control_fd, .events = POLLIN};

	return poll(&control, 1, 0) > 0 && command_has_gone(&control);
}

int session_record(struct session *session)
{
	struct pollfd ready[2] = {
		{.fd = session->options->wire_fd, .events = POLLIN},
		{.fd = session->options->control_fd, .events = POLLIN},
	};
	int fast = session->options->hz >= SESSION_FAST_HZ;
	int more = 0;

	while (session->peer.state == PEER_ATTACHED) {
		int r = poll(ready, 2, fast || more ? SESSION_ROUND_FAST_MS : SESSION_ROUND_MS);

		if (r > 0 && command_has_gone(&ready[1]))
			return SESSION_E_ABANDONED;
		if (r > 0 && ready[0].revents)
			peer_receive(&session->peer);
		more = feed_round(&session->feed) == FEED_E_MORE;
	}
	feed_drain(&session->feed);
	return 0;
}
