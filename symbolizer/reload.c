/* SPDX-License-Identifier: Apache-2.0 */
/* reload - takes new values of the configuration from root, while the service goes on */

#include "symbolizer/reload.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/service.h"
#include "symbolizer/reload_message.h"
#include "symbolizer/session.h"

/* --- who connects ----------------------------------------------------------------------------- */

static bool is_root(int peer)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       bytes == sizeof(who) && who.uid == 0;
}

static bool is_gone(int peer)
{
	struct pollfd end = {.fd = peer, .events = POLLRDHUP};

	return poll(&end, 1, 0) != 0;
}

static void let_in(struct reload *reload, uint64_t now_ms)
{
	_cleanup_(tm_closep) int fd = tm_service_accept(reload->listener);

	if (fd < 0)
		return;
	if (!is_root(fd)) {
		reload->refused++;
		return;
	}
	reload->peer = TM_TAKE_FD(fd);
	reload->until_ms = now_ms + RELOAD_WAIT_MS;
}

/* --- what it sends ---------------------------------------------------------------------------- */

/* Return: bits of the values that this symbolizer was started with, and that are others now. */
static uint32_t compare(const struct options *options, const struct reload *reload,
			const struct tm_reload *message)
{
	uint32_t differ = 0;

	if (message->hz != options->hz)
		differ |= TM_RELOAD_RATE;
	if (message->off_cpu != options->off_cpu)
		differ |= TM_RELOAD_OFF_CPU;
	if (message->memory_bytes != reload->memory_bytes)
		differ |= TM_RELOAD_MEMORY;
	if (message->sends != options->exports)
		differ |= TM_RELOAD_SENDS;
	if (message->keeps != options->spools)
		differ |= TM_RELOAD_KEEPS;
	return differ;
}

/* Return: bits of the values that were others. Takes @settings. */
static uint32_t change(struct session *session, struct reload *reload,
		       const struct tm_reload *message, struct report_settings *settings)
{
	uint32_t changed = report_settings_compare(session->next_settings, settings);

	(void)report_settings_unref(session->next_settings);
	session->next_settings = settings;
	if (message->interval_ms != reload->interval_ms)
		changed |= TM_RELOAD_INTERVAL;
	reload->interval_ms = message->interval_ms;
	if (message->cpu_max_ppm != session->governor.limit_ppm) {
		changed |= TM_RELOAD_CPU_MAX;
		governor_set_limit(&session->governor, message->cpu_max_ppm);
	}
	return changed;
}

/* All of it, or nothing. Return: 0, -EBADMSG, -ENOMEM. */
static int take(struct session *session, struct reload *reload, const struct tm_reload *message,
		struct tm_reload_answer *ret_answer)
{
	struct report_settings *settings = NULL;
	int r = reload_message_check(message);

	if (r == 0)
		r = report_settings_change(session->next_settings, message, &settings);
	if (r < 0)
		return r;
	*ret_answer = (struct tm_reload_answer){
		.magic = TM_RELOAD_MAGIC,
		.version = TM_RELOAD_VERSION,
		.bytes = sizeof(*ret_answer),
		.differ = compare(session->options, reload, message),
		.changed = change(session, reload, message, settings),
	};
	reload->taken++;
	return 0;
}

/* --- rounds ----------------------------------------------------------------------------------- */

int reload_fd(const struct reload *reload)
{
	return reload->peer >= 0 ? reload->peer : reload->listener;
}

bool reload_round(struct session *session, struct reload *reload, uint64_t now_ms)
{
	struct tm_reload_answer answer = {.changed = 0};
	struct tm_reload message;
	int r;

	if (reload->peer < 0)
		let_in(reload, now_ms);
	if (reload->peer < 0)
		return false;
	r = tm_fdpass_recv(reload->peer, &message, sizeof(message), NULL, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN && now_ms < reload->until_ms)
		return false;
	if (r == 0 && !is_gone(reload->peer)) {
		r = take(session, reload, &message, &answer);
		if (r == 0)
			(void)tm_fdpass_send(reload->peer, &answer, sizeof(answer), -1,
					     MSG_DONTWAIT);
	}
	reload->refused += r < 0 || r == TM_FDPASS_E_AGAIN;
	reload->peer = tm_close(reload->peer);
	return answer.changed & ~(uint32_t)TM_RELOAD_CPU_MAX;
}

void reload_deinit(struct reload *reload)
{
	reload->listener = tm_close(reload->listener);
	reload->peer = tm_close(reload->peer);
}
