/* SPDX-License-Identifier: Apache-2.0 */
/* command - what the command is told, and what it says: which processes, start, stop */

#include "collector/command.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/session.h"
#include "shared/cleanup.h"
#include "shared/err.h"
#include "shared/fdpass.h"

static int send_message(int socket, const struct tm_control *message)
{
	return tm_err_fold(tm_fdpass_send(socket, message, sizeof(*message), -1, 0));
}

static int want(struct session *session, uint64_t pid)
{
	uint32_t key = (uint32_t)pid, met = 0;

	if (pid == 0 || pid > INT32_MAX)
		return fault_set(&session->fault, TM_FAILURE_NO_PROCESS, "there is no process %llu",
				 (unsigned long long)pid);
	if (session->wanted_count == SESSION_WANTED_MAX)
		return fault_set(&session->fault, TM_FAILURE_INTERNAL,
				 "more than %d processes cannot be selected", SESSION_WANTED_MAX);
	if (bpf_map_update_elem(session->loader.wanted, &key, &met, BPF_ANY) < 0)
		return fault_set(&session->fault, TM_FAILURE_INTERNAL,
				 "process %u cannot be selected: %s", key, strerror(errno));
	session->wanted[session->wanted_count++] = key;
	return 0;
}

/* Marks every wanted process in one walk; the fork program is attached, so none slips through. */
static int mark(struct session *session)
{
	int r = session->wanted_count ? loader_mark_wanted(&session->loader) : 0;

	if (r < 0)
		return fault_set(&session->fault, TM_FAILURE_HOST,
				 "the kernel refused to walk its tasks: %s", strerror(-r));
	while (session->wanted_count > 0) {
		uint32_t key = session->wanted[--session->wanted_count], met = 0;

		(void)bpf_map_lookup_elem(session->loader.wanted, &key, &met);
		(void)bpf_map_delete_elem(session->loader.wanted, &key);
		if (!met)
			return fault_set(&session->fault, TM_FAILURE_NO_PROCESS,
					 "there is no process %u", key);
	}
	return 0;
}

static int start(struct session *session)
{
	int r = mark(session);

	if (r < 0)
		return r;
	r = percpu_order(&session->loader.percpu, PERF_EVENT_IOC_ENABLE, 0);
	if (r < 0)
		return fault_set(&session->fault, TM_FAILURE_HOST,
				 "the perf events cannot be started: %s", strerror(-r));
	session->running = true;
	return command_send(session->command, TM_CONTROL_STARTED);
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
			session_join(session, message->value, TM_TAKE_FD(*fd));
		return 0;
	case TM_CONTROL_ATTACH:
		if (*fd < 0 || !session->options->restart)
			return 0;
		return session_attach(session, TM_TAKE_FD(*fd));
	default:
		return 0;
	}
}

int command_send(int socket, enum tm_control_kind kind)
{
	const struct tm_control message = {.kind = kind};

	return send_message(socket, &message);
}

int command_note(int socket, const char *format, ...)
{
	struct tm_control message = {.kind = TM_CONTROL_NOTE};
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message.body.text, sizeof(message.body.text), format, arguments);
	va_end(arguments);
	return send_message(socket, &message);
}

int command_fail(int socket, const struct fault *fault)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = fault->code};

	memcpy(message.body.text, fault->text, sizeof(fault->text));
	return send_message(socket, &message);
}

int command_counts(int socket, const struct tm_counts *counts, const struct tm_collector_cost *cost,
		   bool may_skip)
{
	const struct tm_control message = {
		.kind = TM_CONTROL_COUNTS,
		.body = {.counts = *counts, .cost = *cost},
	};
	int r = tm_fdpass_send(socket, &message, sizeof(message), -1, may_skip ? MSG_DONTWAIT : 0);

	return may_skip && r == TM_FDPASS_E_AGAIN ? 0 : tm_err_fold(r);
}

int fault_set(struct fault *fault, int code, const char *format, ...)
{
	va_list arguments;

	if (fault->code)
		return -ECANCELED;
	fault->code = code;
	va_start(arguments, format);
	(void)vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return -ECANCELED;
}

void command_obey(struct session *session)
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
