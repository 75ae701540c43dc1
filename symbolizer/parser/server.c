/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server - forks a worker for each request, relays its result, and kills those that hang
 */

#include "symbolizer/parser/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/parser/worker.h"

#define REAP_TRIES    40
#define REAP_PAUSE_MS 5

/* clock_getcpuclockid(3), which would make another system call: the low bits of such a clock. */
#define PROCESS_CPU_CLOCK 2u

struct slot {      /* for one worker */
	pid_t pid; /* 0: free */
	int channel;
	uint32_t id;
	int64_t deadline; /* ms */
	bool killed;      /* at its deadline */
};

struct server {
	int socket;
	struct slot slots[PARSER_AT_ONCE];
	uint32_t abandoned;
	uint32_t unreaped; /* ended workers not yet waited for */
};

static void reap(struct server *server)
{
	while (server->unreaped && waitpid(-1, NULL, WNOHANG) > 0)
		server->unreaped--;
}

/* What a worker has used that was not waited for. */
static uint32_t cpu_ms(pid_t worker)
{
	const clockid_t clock = (clockid_t)(~(unsigned)worker << 3 | PROCESS_CPU_CLOCK);
	struct timespec used = {0};

	if (!worker || clock_gettime(clock, &used) < 0)
		return 0;
	return (uint32_t)(used.tv_sec * 1000 + used.tv_nsec / 1000000) + 1;
}

/* @worker: 0: none was started. */
static void send_result(const struct server *server, uint32_t id, pid_t worker, uint32_t status,
			int fd)
{
	struct parser_message result = {
		.kind = PARSER_RESULT, .id = id, .status = status, .cpu_ms = cpu_ms(worker)};

	(void)tm_fdpass_send(server->socket, &result, sizeof(result), fd, 0);
}

static struct slot *free_slot(struct server *server)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (!server->slots[i].pid)
			return &server->slots[i];
	return NULL;
}

/* Runs in the child: only its channel and the descriptors of the request stay open. */
static _Noreturn void become_worker(const struct server *server, int channel,
				    const struct worker_job *job)
{
	(void)tm_close(server->socket);
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (server->slots[i].pid)
			(void)tm_close(server->slots[i].channel);
	worker_run(channel, job);
}

static int start_worker(struct server *server, const struct worker_job *job)
{
	struct slot *slot = free_slot(server);
	int ends[2];
	pid_t pid;

	if (!slot || server->abandoned >= PARSER_ABANDONED_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -EBUSY;
	pid = fork();
	if (pid == 0) {
		(void)tm_close(ends[0]);
		become_worker(server, ends[1], job);
	}
	(void)tm_close(ends[1]);
	if (pid < 0) {
		(void)tm_close(ends[0]);
		return -EAGAIN;
	}
	*slot = (struct slot){pid, ends[0], job->request.id,
			      (int64_t)tm_clock_ms() + parser_deadline_ms(job->request.kind),
			      false};
	return 0;
}

/* What follows the first message of a request. Return: as receive_request(). */
static int receive_parts(const struct server *server, struct worker_job *job)
{
	for (unsigned i = 0; i < job->request.parts; i++) {
		struct parser_message part;
		int r = tm_fdpass_recv(server->socket, &part, sizeof(part), &job->parts[i], 0);

		if (r)
			return r;
		if (part.kind != PARSER_PART || part.id != job->request.id || job->parts[i] < 0)
			return -EBADMSG;
	}
	return 0;
}

static bool is_valid_request(const struct parser_message *request, int file)
{
	switch (request->kind) {
	case PARSER_LINES:
		return file >= 0 && request->count <= PARSER_OFFSETS_MAX && request->parts >= 1 &&
		       request->parts <= PARSER_PARTS_MAX;
	case PARSER_ROWS:
	case PARSER_SYMBOLS:
		return request->count == 0 && request->parts == 0;
	case PARSER_PERF_MAP:
		return file >= 0 && request->count == 0 && request->parts == 0;
	case PARSER_DEMANGLE:
		return file < 0 && request->count <= PARSER_DEMANGLE_MAX && request->parts == 1;
	default:
		return false;
	}
}

/* Return: 0; TM_FDPASS_E_CLOSED, -errno: the client cannot be served any more. */
static int receive_request(struct server *server)
{
	_cleanup_(worker_job_close) struct worker_job job = WORKER_JOB_NULL;
	int r;

	r = tm_fdpass_recv(server->socket, &job.request, sizeof(job.request), &job.file, 0);
	if (r)
		return r;
	if (!is_valid_request(&job.request, job.file))
		return -EBADMSG;
	r = receive_parts(server, &job);
	if (r)
		return r;
	if (start_worker(server, &job) < 0)
		send_result(server, job.request.id, 0, PARSER_REFUSED, -1);
	return 0;
}

static void stop_worker(struct server *server, struct slot *slot)
{
	/* It has answered, crashed or hung: in no case is it needed any more. */
	(void)kill(slot->pid, SIGKILL);
	(void)tm_close(slot->channel);
	slot->pid = 0;
	server->unreaped++;
	reap(server);
}

static void relay_result(struct server *server, struct slot *slot)
{
	_cleanup_(tm_closep) int fd = -1;
	struct parser_message result;
	uint32_t status = slot->killed ? PARSER_TIMEOUT : PARSER_CRASHED;
	int r;

	r = tm_fdpass_recv(slot->channel, &result, sizeof(result), &fd, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return;
	if (!r && result.kind == PARSER_RESULT && result.status < PARSER_STATUS_N &&
	    (result.status == PARSER_OK) == (fd >= 0))
		status = result.status;
	send_result(server, slot->id, slot->pid, status, status == PARSER_OK ? fd : -1);
	stop_worker(server, slot);
}

static void keep_deadline(struct server *server, struct slot *slot, int64_t now)
{
	if (!slot->pid || now < slot->deadline)
		return;
	if (!slot->killed) {
		(void)kill(slot->pid, SIGKILL);
		slot->killed = true;
		slot->deadline = now + SERVER_DEATH_MS;
		return;
	}
	server->abandoned++;
	send_result(server, slot->id, slot->pid, PARSER_ABANDONED, -1);
	stop_worker(server, slot);
}

static int poll_timeout(const struct server *server, int64_t now)
{
	int64_t wait = -1;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		int64_t left = server->slots[i].deadline - now;

		if (!server->slots[i].pid)
			continue;
		left = left > 0 ? left : 0;
		if (wait < 0 || left < wait)
			wait = left;
	}
	return (int)wait;
}

static int serve_once(struct server *server)
{
	struct pollfd ready[PARSER_AT_ONCE + 1] = {{.fd = server->socket, .events = POLLIN}};
	int r;

	if (!free_slot(server))
		ready[0].events = 0;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		ready[i + 1].fd = server->slots[i].pid ? server->slots[i].channel : -1;
		ready[i + 1].events = POLLIN;
	}
	r = poll(ready, PARSER_AT_ONCE + 1, poll_timeout(server, (int64_t)tm_clock_ms()));
	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		if (ready[i + 1].revents)
			relay_result(server, &server->slots[i]);
		keep_deadline(server, &server->slots[i], (int64_t)tm_clock_ms());
	}
	reap(server);
	return ready[0].revents ? receive_request(server) : 0;
}

/* Waits for stopped workers, so that their CPU time is counted; not for those that hang. */
static void stop_all(struct server *server)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (server->slots[i].pid)
			stop_worker(server, &server->slots[i]);
	for (int i = 0; i < REAP_TRIES && server->unreaped > server->abandoned; i++) {
		(void)poll(NULL, 0, REAP_PAUSE_MS);
		reap(server);
	}
}

int server_run(int socket)
{
	struct server server = {.socket = socket};
	int r = 0;

	while (!r)
		r = serve_once(&server);
	stop_all(&server);
	return r == TM_FDPASS_E_CLOSED ? 0 : r;
}
