/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the starter: the process of a recording that keeps root, and does what message.h lists */

#include "cli/starter/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/own_cost.h"
#include "cli/spawn.h"
#include "cli/starter/message.h"
#include "cli/starter/programs.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

struct starter {
	int socket;
	int command; /* pidfd */
	struct preparation *preparation;
	int given[STARTER_SLOT_N];      /* for the next program; -1: none */
	pid_t started[PROGRAM_PATHS_N]; /* the last one of each; 0: none, or waited for */
	int pidfds[PROGRAM_PATHS_N];    /* of those */
	struct outputs current, next;   /* files of two reports; without options: none yet */
	bool opened;                    /* those of the first report were asked for */
	unsigned number;                /* of the report with the current files */
	unsigned stored;                /* of the last one of which a file is in its place */
};

/* Return: 0: @fd is readable; -EPIPE: the command is gone. It may have left its end of the socket
 * with a program, so that alone does not tell. */
static int await(const struct starter *starter, int fd)
{
	struct pollfd ready[] = {{.fd = starter->command, .events = POLLIN},
				 {.fd = fd, .events = POLLIN}};
	int r;

	do {
		r = poll(ready, 2, -1);
	} while (r < 0 && errno == EINTR);
	return r < 0 || ready[0].revents ? -EPIPE : 0;
}

/* Return: 0, -EPIPE: the command is gone, or reads no answers. */
static int answer_with(const struct starter *starter, const struct starter_answer *answer, int fd)
{
	int r = tm_fdpass_send(starter->socket, answer, sizeof(*answer), fd, MSG_DONTWAIT);

	return r == 0 ? 0 : -EPIPE;
}

static int answer_code(const struct starter *starter, int code)
{
	return answer_with(starter, &(struct starter_answer){.code = code}, -1);
}

/* --- programs --------------------------------------------------------------------------------- */

static void drop_given(struct starter *starter)
{
	for (size_t i = 0; i < STARTER_SLOT_N; i++)
		starter->given[i] = tm_close(starter->given[i]);
}

static int start(struct starter *starter, uint32_t program)
{
	struct child child = CHILD_NULL;
	struct starter_answer answer = {.code = EXIT_CODE_FAILED};
	int r;

	if (program < PROGRAM_PATHS_N && starter->started[program] == 0 &&
	    starter->preparation->programs[program] >= 0)
		answer.code = programs_start(starter->preparation, &starter->current, program,
					     starter->given, &child);
	drop_given(starter);
	if (answer.code == 0) {
		starter->started[program] = answer.pid = child.pid;
		starter->pidfds[program] = child.pidfd;
	}
	r = answer_with(starter, &answer, answer.code == 0 ? child.pidfd : -1);
	if (r == 0 && answer.code == 0)
		r = answer_with(starter, &(struct starter_answer){0}, child.errors);
	child.errors = tm_close(child.errors);
	return r;
}

static int kill_program(struct starter *starter, uint32_t program)
{
	if (program >= PROGRAM_PATHS_N || starter->started[program] == 0)
		return answer_code(starter, -ESRCH);
	return answer_code(starter, kill(starter->started[program], SIGKILL) < 0 ? -errno : 0);
}

static int wait_for(struct starter *starter, uint32_t program)
{
	struct starter_answer answer = {.code = -ECHILD};
	struct rusage usage = {0};

	if (program < PROGRAM_PATHS_N && starter->started[program] != 0) {
		if (await(starter, starter->pidfds[program]) < 0)
			return -EPIPE;
		answer.code = spawn_wait(starter->started[program], &answer.status, &usage);
		starter->started[program] = 0;
		starter->pidfds[program] = tm_close(starter->pidfds[program]);
	}
	answer.cpu_ns = own_cost_cpu_ns(&usage);
	answer.rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
	return answer_with(starter, &answer, -1);
}

/* What still runs when the command is gone. */
static void kill_all(struct starter *starter)
{
	for (size_t i = 0; i < PROGRAM_PATHS_N; i++)
		if (starter->started[i] != 0)
			(void)kill(starter->started[i], SIGKILL);
	for (size_t i = 0; i < PROGRAM_PATHS_N; i++)
		if (starter->started[i] != 0)
			(void)spawn_wait(starter->started[i], NULL, NULL);
}

static int signal_workload(const struct starter *starter, uint32_t number)
{
	if (number != SIGTERM && number != SIGCONT && number != SIGKILL)
		return answer_code(starter, -EINVAL);
	if (syscall(SYS_pidfd_send_signal, starter->preparation->workload, number, NULL, 0) < 0)
		return answer_code(starter, -errno);
	return answer_code(starter, 0);
}

static int open_event(const struct starter *starter, uint64_t cpu)
{
	_cleanup_(tm_closep) int fd = -EINVAL;

	if (cpu < TM_CPUS_MAX)
		fd = tm_cpus_open_event((unsigned)cpu, starter->preparation->options->hz);
	return answer_with(starter, &(struct starter_answer){.code = fd < 0 ? fd : 0},
			   fd < 0 ? -1 : fd);
}

/* --- files of reports ------------------------------------------------------------------------- */

static void drop(struct outputs *outputs)
{
	outputs_close(outputs);
	memset(outputs, 0, sizeof(*outputs));
}

static int answer_file(const struct starter *starter, const struct output *output, bool refused)
{
	return answer_with(starter, &(struct starter_answer){.code = refused},
			   refused ? -1 : output->fd);
}

/* The paths lead to their folders once, before anything is recorded. */
static int open_first(struct starter *starter, uint64_t number)
{
	const struct options *options = starter->preparation->options;
	int r = EXIT_CODE_FAILED;

	if (!starter->opened && number == (options->every_ns ? 1 : 0)) {
		r = outputs_open(&starter->current, NULL, options, (unsigned)number);
		if (r != 0)
			drop(&starter->current);
		starter->number = (unsigned)number;
	}
	starter->opened = true;
	return r;
}

static int open_next(struct starter *starter, uint64_t number)
{
	if (starter->number == 0 || !starter->current.options || starter->next.options ||
	    number != starter->number + 1ull)
		return EXIT_CODE_FAILED;
	outputs_open_more(&starter->next, &starter->current, (unsigned)number);
	return 0;
}

static int open_files(struct starter *starter, bool first, uint64_t number)
{
	const struct outputs *outputs = first ? &starter->current : &starter->next;
	int r = first ? open_first(starter, number) : open_next(starter, number);

	if (answer_code(starter, r) < 0)
		return -EPIPE;
	for (size_t i = 0; r == 0 && i < outputs->count; i++)
		r = answer_file(starter, &outputs->items[i], outputs->refused[i]);
	if (r == 0 && outputs->has_summary)
		r = answer_file(starter, &outputs->summary, outputs->summary_refused);
	return r < 0 ? r : 0;
}

static int commit(struct starter *starter, uint32_t index)
{
	int r = outputs_commit(&starter->current, index);

	if (r == 0)
		starter->stored = starter->number;
	return answer_code(starter, r);
}

static int next_files(struct starter *starter)
{
	outputs_close(&starter->current);
	starter->current = starter->next;
	starter->number += starter->next.options != NULL;
	memset(&starter->next, 0, sizeof(starter->next));
	return answer_code(starter, 0);
}

/* No file that this recording has put in its place is replaced. */
static int renumber(struct starter *starter, uint64_t number)
{
	if (!starter->current.options || number <= starter->stored || number > starter->number)
		return answer_code(starter, -EINVAL);
	outputs_renumber(&starter->current, (unsigned)number);
	starter->number = (unsigned)number;
	return answer_code(starter, 0);
}

/* --- the process ------------------------------------------------------------------------------ */

/* Return: 0, -errno: the command is gone, or is none. */
static int serve(struct starter *starter, const struct starter_request *request, int *fd)
{
	switch (request->kind) {
	case STARTER_GIVE:
		if (request->what >= STARTER_SLOT_N || *fd < 0)
			return -EBADMSG;
		(void)tm_close(starter->given[request->what]);
		starter->given[request->what] = TM_TAKE_FD(*fd);
		return 0;
	case STARTER_START:
		return start(starter, request->what);
	case STARTER_KILL:
		return kill_program(starter, request->what);
	case STARTER_WAIT:
		return wait_for(starter, request->what);
	case STARTER_SIGNAL:
		return signal_workload(starter, request->what);
	case STARTER_EVENT:
		return open_event(starter, request->value);
	case STARTER_OPEN:
		return open_files(starter, request->what != 0, request->value);
	case STARTER_COMMIT:
		return commit(starter, request->what);
	case STARTER_RENUMBER:
		return renumber(starter, request->value);
	case STARTER_NEXT:
		return next_files(starter);
	default:
		return -EBADMSG;
	}
}

void starter_serve(struct preparation *preparation, int socket, int command)
{
	static struct starter starter; /* large */
	struct starter_request request;
	sigset_t all;
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-starter");
	(void)sigfillset(&all); /* of the terminal: they are for the command */
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	terminal_share();
	starter.socket = socket;
	starter.command = command;
	starter.preparation = preparation;
	memset(starter.given, -1, sizeof(starter.given));
	do {
		_cleanup_(tm_closep) int fd = -1;

		r = await(&starter, socket);
		if (r == 0)
			r = tm_fdpass_recv(socket, &request, sizeof(request), &fd, 0);
		if (r == 0)
			r = serve(&starter, &request, &fd);
	} while (r == 0);
	kill_all(&starter);
	outputs_close(&starter.current);
	outputs_close(&starter.next);
}
