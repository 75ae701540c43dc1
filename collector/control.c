/* SPDX-License-Identifier: Apache-2.0 */
/* control - what the command says: which processes, start, stop; a word that is unknown is ignored */

#include "collector/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"

static int want(struct session *session, uint64_t pid)
{
	uint32_t key = (uint32_t)pid, met = 0;

	if (pid == 0 || pid > INT32_MAX)
		return tm_control_failure_set(&session->failure, TM_FAILURE_NO_PROCESS,
					      "there is no process %llu", (unsigned long long)pid);
	if (bpf_map_update_elem(session->loader.wanted, &key, &met, BPF_ANY) < 0)
		return tm_control_failure_set(&session->failure, TM_FAILURE_INTERNAL,
					      "process %u cannot be selected: %s", key,
					      strerror(errno));
	return 0;
}

/* Marks every wanted process in one walk; the fork program is attached, so none slips through. */
static int mark(struct session *session)
{
	int wanted = session->loader.wanted, r;
	uint32_t key, met = 0;

	if (bpf_map_get_next_key(wanted, NULL, &key) < 0)
		return 0;
	r = loader_mark_wanted(&session->loader);
	if (r < 0)
		return tm_control_failure_check(&session->failure, TM_FAILURE_HOST, r,
						"the kernel refused to walk its tasks");
	while (bpf_map_get_next_key(wanted, NULL, &key) == 0 &&
	       bpf_map_lookup_elem(wanted, &key, &met) == 0 &&
	       bpf_map_delete_elem(wanted, &key) == 0)
		if (!met)
			return tm_control_failure_set(&session->failure, TM_FAILURE_NO_PROCESS,
						      "there is no process %u", key);
	return 0;
}

static int start(struct session *session)
{
	int r = mark(session);

	if (r < 0)
		return r;
	r = percpu_ioctl(&session->loader.percpu, PERF_EVENT_IOC_ENABLE, 0);
	if (r < 0)
		return tm_control_failure_check(&session->failure, TM_FAILURE_HOST, r,
						"the perf events cannot be started");
	session->running = true;
	return tm_control_send(session->command, TM_CONTROL_STARTED, 0, 0);
}

/* @fd: the descriptor that came with it; whoever takes it makes it -1. */
static int obey_one(struct session *session, const struct tm_control *message, int *fd)
{
	int r;

	switch (message->kind) {
	case TM_CONTROL_SELECT:
		if (!session->options->selecting)
			return 0;
		r = want(session, message->value);
		return r == 0 && session->running ? mark(session) : r;
	case TM_CONTROL_START:
		return session->running ? 0 : start(session);
	case TM_CONTROL_STOP:
		session->end = SESSION_STOPPED;
		return 0;
	case TM_CONTROL_CPU:
		if (*fd >= 0)
			session_add_cpu(session, message->value, TM_TAKE_FD(*fd));
		return 0;
	case TM_CONTROL_ATTACH:
		if (*fd < 0 || !session->options->restart)
			return 0;
		return session_attach(session, TM_TAKE_FD(*fd));
	default:
		return 0;
	}
}

void session_receive_commands(struct session *session)
{
	while (session->end == SESSION_GOES_ON) {
		_cleanup_(tm_closep) int fd = -1;
		struct tm_control message;
		int r = tm_fdpass_recv(session->command, &message, sizeof(message), &fd,
				       MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			return;
		if (r != 0)
			session->end = SESSION_COMMAND_GONE;
		else if (obey_one(session, &message, &fd) < 0)
			session->end = SESSION_FAILED;
	}
}
