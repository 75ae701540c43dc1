/* SPDX-License-Identifier: Apache-2.0 */
/* child - one of the started programs while it runs: its control socket, stderr and end */

#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/own_cost.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/result.h"

static void clean_message(struct tm_control *message)
{
	struct tm_top *top = tm_result_top(message);

	switch (message->kind) {
	case TM_CONTROL_NOTE:
	case TM_CONTROL_FAILED:
		terminal_clean(message->body.text, sizeof(message->body.text));
		return;
	case TM_CONTROL_TOP:
		terminal_clean(top->name, sizeof(top->name));
		terminal_clean(top->file, sizeof(top->file));
		return;
	default:
		return;
	}
}

int child_start(struct child *ret_program, struct starter_client *starter,
		enum program_paths_program program)
{
	struct starter_client_started started = {.pidfd = -1, .errors = -1};
	int r = starter_client_start(starter, program, &started);

	ret_program->name = program_paths_name(program);
	ret_program->starter = starter;
	ret_program->program = program;
	ret_program->pid = r == 0 ? started.pid : 0;
	ret_program->pidfd = started.pidfd;
	ret_program->errors = started.errors;
	return r;
}

int child_receive(struct child *program, struct tm_control *ret_message)
{
	int r;

	if (program->control < 0)
		return CHILD_E_CLOSED;
	r = tm_fdpass_recv(program->control, ret_message, sizeof(*ret_message), /* ret_fd= */ NULL,
			   MSG_DONTWAIT);
	if (r == 0) {
		clean_message(ret_message);
		return 0;
	}
	if (r == TM_FDPASS_E_AGAIN)
		return CHILD_E_NONE;
	if (r < 0 && r != -ECONNRESET) {
		program->failed = true;
		terminal_print("%s sent an invalid message; stopping it: %s", program->name,
			       strerror(-r));
	}
	program->control = tm_close(program->control);
	/* A program that closes its socket before it is done is exiting already, or must exit. */
	if (!program->done)
		child_end(program);
	return CHILD_E_CLOSED;
}

int child_send_message(struct child *program, const struct tm_control *message, int fd)
{
	int r;

	if (program->control < 0)
		return -EPIPE;
	r = tm_fdpass_send(program->control, message, sizeof(*message), fd, 0);
	if (r == TM_FDPASS_E_CLOSED)
		return -EPIPE;
	return r > 0 ? -EAGAIN : r;
}

int child_send_fd(struct child *program, enum tm_control_kind kind, uint64_t value, int fd)
{
	const struct tm_control message = {.kind = kind, .value = value};

	return child_send_message(program, &message, fd);
}

int child_send(struct child *program, enum tm_control_kind kind, uint64_t value)
{
	return child_send_fd(program, kind, value, -1);
}

static void print_lines(const struct child *program, char *text, size_t bytes)
{
	char *line = text, *end;

	text[bytes] = '\0';
	while ((end = memchr(line, '\n', bytes)) != NULL) {
		*end = '\0';
		terminal_clean(line, (size_t)(end - line) + 1);
		terminal_print("%s: %s", program->name, line);
		bytes -= (size_t)(end - line) + 1;
		line = end + 1;
	}
	if (bytes > 0) {
		terminal_clean(line, bytes + 1);
		terminal_print("%s: %s", program->name, line);
	}
}

void child_print_errors(struct child *program)
{
	char text[4096 + 1];

	while (program->errors >= 0) {
		ssize_t got = read(program->errors, text, sizeof(text) - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			program->errors = tm_close(program->errors);
			return;
		}
		if (program->stderr_bytes < CHILD_STDERR_MAX)
			print_lines(program, text, (size_t)got);
		program->stderr_bytes += (size_t)got;
		if (got < (ssize_t)sizeof(text) - 1)
			return;
	}
}

void child_note(struct child *program, const char *text)
{
	if (program->notes++ < CHILD_NOTES_MAX)
		terminal_print("%s", text);
}

void child_measure(struct child *program)
{
	uint64_t bytes = own_cost_peak_bytes(program->pid);

	if (program->pid <= 0 || program->ended)
		return;
	program->cpu_ns = own_cost_process_cpu_ns(program->pid);
	if (bytes > program->rss_bytes)
		program->rss_bytes = bytes;
}

void child_end(struct child *program)
{
	if (program->pid <= 0 || program->ended)
		return;
	if (program->starter)
		starter_client_kill(program->starter, program->program);
	else
		(void)kill(program->pid, SIGKILL);
}

/* Return: 0, -errno. */
static int wait_for(const struct child *program, struct starter_answer *ret_end)
{
	struct rusage usage = {0};
	int r;

	if (program->starter)
		return starter_client_wait(program->starter, program->program, ret_end);
	r = spawn_wait(program->pid, &ret_end->status, &usage);
	ret_end->cpu_ns = own_cost_cpu_ns(&usage);
	ret_end->rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
	return r;
}

void child_reap(struct child *program)
{
	struct starter_answer end = {0};
	int r;

	if (program->pid <= 0 || program->ended)
		return;
	r = wait_for(program, &end);
	if (r == -EPIPE)
		end.status = SIGKILL; /* it died with its starter */
	else if (r < 0)
		terminal_print("waiting for the end of %s failed: %s", program->name, strerror(-r));
	program->ended = true;
	program->status = end.status;
	program->cpu_ns = end.cpu_ns;
	if (program->rss_bytes == 0)
		program->rss_bytes = end.rss_bytes;
	program->pidfd = tm_close(program->pidfd);
}

void child_kill(struct child *program)
{
	child_end(program);
	child_reap(program);
	program->pidfd = tm_close(program->pidfd);
	program->control = tm_close(program->control);
	program->errors = tm_close(program->errors);
}
