/* SPDX-License-Identifier: Apache-2.0 */
/* starter_client - asks the starter, which keeps root, for what the command may not do itself */

#include "cli/starter_client.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

int starter_client_fork(struct starter_client *ret_client, starter_client_serve_fn *serve,
			void *context)
{
	_cleanup_(tm_closep) int ours = -1;
	_cleanup_(tm_closep) int theirs = -1;
	_cleanup_(tm_closep) int self = spawn_pidfd(getpid());
	int ends[2];
	pid_t pid;

	if (self < 0)
		return self;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	ours = ends[0];
	theirs = ends[1];
	(void)fflush(NULL); /* what is buffered is written once */
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		ours = tm_close(ours);
		serve(context, theirs, self);
		_exit(0); /* what the command has buffered is the command's */
	}
	*ret_client = (struct starter_client){.socket = TM_TAKE_FD(ours), .pid = pid};
	return 0;
}

/* Return: -EPIPE. */
static int lose(struct starter_client *client)
{
	if (!client->is_gone)
		terminal_print("the starter of this recording is gone: no program can be started "
			       "any more, and no file put in its place");
	client->is_gone = true;
	return -EPIPE;
}

static int send_request(struct starter_client *client, enum starter_request_kind kind,
			uint32_t what, uint64_t value, int fd)
{
	const struct starter_request request = {kind, what, value};

	if (client->is_gone ||
	    tm_fdpass_send(client->socket, &request, sizeof(request), fd, 0) != 0)
		return lose(client);
	return 0;
}

/* @ret_fd: NULL: no descriptor may come. Return: 0, -EPIPE. */
static int receive_answer(struct starter_client *client, struct starter_answer *ret_answer,
			  int *ret_fd)
{
	if (tm_fdpass_recv(client->socket, ret_answer, sizeof(*ret_answer), ret_fd, 0) == 0)
		return 0;
	*ret_answer = (struct starter_answer){0};
	return lose(client);
}

/* A request whose answer is its code alone. Return: that, -EPIPE. */
static int ask(struct starter_client *client, enum starter_request_kind kind, uint32_t what,
	       uint64_t value)
{
	struct starter_answer answer;
	int r = send_request(client, kind, what, value, -1);

	if (r == 0)
		r = receive_answer(client, &answer, NULL);
	return r == 0 ? answer.code : r;
}

int starter_client_give(struct starter_client *client, enum starter_slot slot, int fd)
{
	return fd < 0 ? 0 : send_request(client, STARTER_GIVE, slot, 0, fd);
}

int starter_client_start(struct starter_client *client, enum program_paths_program program,
			 struct starter_client_started *ret_started)
{
	struct starter_answer answer, second;
	int r = send_request(client, STARTER_START, program, 0, -1);

	if (r == 0)
		r = receive_answer(client, &answer, &ret_started->pidfd);
	if (r == 0 && answer.code == 0)
		r = receive_answer(client, &second, &ret_started->errors);
	if (r < 0)
		return EXIT_CODE_FAILED;
	ret_started->pid = answer.pid;
	return answer.code;
}

void starter_client_kill(struct starter_client *client, enum program_paths_program program)
{
	(void)ask(client, STARTER_KILL, program, 0);
}

int starter_client_wait(struct starter_client *client, enum program_paths_program program,
			struct starter_answer *ret_answer)
{
	int r = send_request(client, STARTER_WAIT, program, 0, -1);

	if (r == 0)
		r = receive_answer(client, ret_answer, NULL);
	return r == 0 ? ret_answer->code : r;
}

int starter_client_signal(struct starter_client *client, int number)
{
	return ask(client, STARTER_SIGNAL, (uint32_t)number, 0);
}

int starter_client_event(struct starter_client *client, unsigned cpu)
{
	struct starter_answer answer;
	int fd = -1, r = send_request(client, STARTER_EVENT, 0, cpu, -1);

	if (r == 0)
		r = receive_answer(client, &answer, &fd);
	if (r == 0)
		r = answer.code;
	return r == 0 ? fd : r;
}

int starter_client_open(struct starter_client *client, unsigned number, bool must, int *ret_fds,
			size_t count)
{
	struct starter_answer answer;
	int r = ask(client, STARTER_OPEN, must, number);

	for (size_t i = 0; i < count; i++)
		ret_fds[i] = -1;
	for (size_t i = 0; i < count && r == 0; i++)
		r = receive_answer(client, &answer, &ret_fds[i]);
	return r < 0 ? EXIT_CODE_FAILED : r;
}

int starter_client_commit(struct starter_client *client, size_t index)
{
	return ask(client, STARTER_COMMIT, (uint32_t)index, 0);
}

void starter_client_renumber(struct starter_client *client, unsigned number)
{
	(void)ask(client, STARTER_RENUMBER, 0, number);
}

void starter_client_next(struct starter_client *client)
{
	(void)ask(client, STARTER_NEXT, 0, 0);
}

void starter_client_stop(struct starter_client *client)
{
	client->socket = tm_close(client->socket);
	if (client->pid > 0)
		(void)spawn_wait(client->pid, NULL, NULL);
	client->pid = 0;
}
