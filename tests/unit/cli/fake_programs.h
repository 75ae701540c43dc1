/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fake_programs - a recording with fake programs: children that follow a script over their socket
 */

#include "tests/unit/cli/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/event_loop.h"
#include "cli/signals.h"
#include "cli/spawn.h"
#include "shared/fdpass.h"

#define TAKEN 100

static struct options options;
static struct session session;
static int signals = -1;
static uint64_t waits;   /* off-CPU samples to each sample, of 1 us each */
static int link_ends[2]; /* from collector to symbolizer; closed when the collector ends */

/* --- what the fake programs do --- */

static inline void send_message(int control, const struct tm_control *message)
{
	(void)tm_fdpass_send(control, message, sizeof(*message), -1, 0);
}

static inline void send_kind(int control, enum tm_control_kind kind, int code)
{
	const struct tm_control message = {.kind = kind, .code = code};

	send_message(control, &message);
}

static inline void send_counts(int control, uint64_t taken)
{
	struct tm_control message = {.kind = TM_CONTROL_COUNTS};

	message.body.counts.taken = taken;
	message.body.counts.off_cpu.taken = waits * taken;
	message.body.counts.off_cpu.taken_ns = 1000 * waits * taken;
	send_message(control, &message);
}

/* Waits for one message of that kind; the program ends if the command goes away. */
static inline void await(int control, enum tm_control_kind kind)
{
	struct tm_control message;

	do {
		if (tm_fdpass_recv(control, &message, sizeof(message), NULL, 0) != 0)
			_exit(9);
	} while (message.kind != kind);
}

static inline void await_other(void)
{
	char byte;

	while (read(link_ends[0], &byte, 1) < 0 && errno == EINTR)
		continue;
}

static inline void begin_collector(int control)
{
	send_kind(control, TM_CONTROL_READY, 0);
	await(control, TM_CONTROL_START);
	send_kind(control, TM_CONTROL_STARTED, 0);
	send_counts(control, TAKEN);
}

static inline void end_collector(int control)
{
	await(control, TM_CONTROL_STOP);
	send_counts(control, TAKEN);
	send_kind(control, TM_CONTROL_DONE, 0);
}

static inline int open_signals(void **state)
{
	signals = signals_open();
	return signals < 0;
}

/* --- the recording --- */

static inline void start(struct child *program, const char *name, void (*act)(int))
{
	pid_t parent = getpid();
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	program->name = name;
	program->pid = fork();
	if (program->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)close(ends[0]);
		if (program == &session.symbolizer)
			(void)close(link_ends[1]);
		else
			(void)close(link_ends[0]);
		if (getppid() == parent)
			act(ends[1]);
		/* As the real programs do, so that a message unread takes none of ours with it. */
		(void)tm_fdpass_close(ends[1]);
		_exit(0);
	}
	assert_true(program->pid > 0);
	(void)close(ends[1]);
	program->control = ends[0];
	program->pidfd = spawn_pidfd(program->pid);
	assert_true(program->pidfd >= 0);
}

static inline bool is_there(const struct child *program)
{
	return program->pid > 0 && kill(program->pid, 0) == 0;
}

/* Runs both programs; what they sent remains in @session. */
static inline int record_with(void (*collector)(int), void (*symbolizer)(int))
{
	int r;

	assert_int_equal(pipe2(link_ends, O_CLOEXEC), 0);
	start(&session.symbolizer, "fake symbolizer", symbolizer);
	start(&session.collector, "fake collector", collector);
	(void)close(link_ends[0]);
	(void)close(link_ends[1]);
	r = event_loop_run(&session);
	/* No process is left, whatever happened. */
	assert_false(is_there(&session.collector));
	assert_false(is_there(&session.symbolizer));
	assert_int_equal(session.phase, SESSION_OVER);
	return r;
}
