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
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/parser/worker.h"

#define STOP_TRIES    40
#define STOP_PAUSE_MS 5
#define DYING_MAX     32u

/* clock_getcpuclockid(3), which would make another system call: the low bits of such a clock. */
#define PROCESS_CPU_CLOCK 2u

struct slot { /* for one worker */
	bool used;
	bool killed; /* at its deadline */
	pid_t pid;   /* of the worker */
	int worker;  /* pidfd */
	int channel; /* -1: it was closed without an answer; the worker's end says why */
	uint32_t id;
	int64_t begun;    /* ms */
	int64_t deadline; /* ms */
};

struct dying {      /* a worker that was killed and has not ended */
	int worker; /* pidfd */
	bool abandoned;
};

struct server {
	int socket;
	struct slot slots[PARSER_OPEN_MAX];
	struct dying dying[DYING_MAX];
	uint32_t dying_count;
	uint32_t abandoned; /* of those */
};

_Static_assert(PARSER_ABANDONED_MAX + PARSER_OPEN_MAX < DYING_MAX, "room for every abandoned one");

/* Return: whether the worker has ended. @option: 0: it is waited for, and has no number any more;
 * WNOWAIT: it keeps its number. */
static bool has_ended(int worker, int option, siginfo_t *ret_end)
{
	*ret_end = (siginfo_t){0};
	return waitid(P_PIDFD, (id_t)worker, ret_end, WEXITED | WNOHANG | option) == 0 &&
	       ret_end->si_pid;
}

static void reap_dying(struct server *server)
{
	siginfo_t end;

	for (uint32_t i = server->dying_count; i-- > 0;) {
		if (!has_ended(server->dying[i].worker, 0, &end))
			continue;
		(void)tm_close(server->dying[i].worker);
		server->abandoned -= server->dying[i].abandoned;
		server->dying[i] = server->dying[--server->dying_count];
	}
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

	worker_answer(server->socket, &result, fd);
}

static struct slot *free_slot(struct server *server)
{
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (!server->slots[i].used)
			return &server->slots[i];
	return NULL;
}

/* Runs in the child: only its channel and the descriptors of the request stay open. */
static _Noreturn void become_worker(const struct server *server, int channel,
				    const struct worker_job *job)
{
	(void)tm_close(server->socket);
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (server->slots[i].used) {
			(void)tm_close(server->slots[i].channel);
			(void)tm_close(server->slots[i].worker);
		}
	for (uint32_t i = 0; i < server->dying_count; i++)
		(void)tm_close(server->dying[i].worker);
	worker_run(channel, job);
}

/* Return: 0, -EAGAIN; -EBUSY: workers that do not die have all places, perhaps for ever. */
static int start_worker(struct server *server, const struct worker_job *job)
{
	struct slot *slot = free_slot(server);
	int ends[2], worker;
	pid_t pid;

	if (server->abandoned >= PARSER_ABANDONED_MAX)
		return -EBUSY;
	if (!slot || server->dying_count >= DYING_MAX - PARSER_OPEN_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -EAGAIN;
	pid = fork();
	if (pid == 0) {
		(void)tm_close(ends[0]);
		become_worker(server, ends[1], job);
	}
	(void)tm_close(ends[1]);
	worker = pid < 0 ? -1 : pidfd_open(pid, 0);
	if (worker < 0) { /* no process or no descriptor is left; such a worker ends by itself */
		(void)tm_close(ends[0]);
		return -EAGAIN;
	}
	*slot = (struct slot){.used = true,
			      .pid = pid,
			      .worker = worker,
			      .channel = ends[0],
			      .id = job->request.id,
			      .begun = (int64_t)tm_clock_ms()};
	slot->deadline = slot->begun + PARSER_DEADLINE_MS;
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
		return request->count == 0 && request->parts == 0;
	case PARSER_SYMBOLS:
		return request->count <= (file >= 0) && request->parts == 0;
	case PARSER_PERF_MAP:
		return file >= 0 && request->count >= 1 &&
		       request->count <= PARSER_PERF_MAP_MIB_MAX && request->parts == 0;
	case PARSER_JITDUMP:
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
	r = start_worker(server, &job);
	if (r == -EAGAIN)
		send_result(server, job.request.id, 0, PARSER_REFUSED, -1);
	return r == -EAGAIN ? 0 : r;
}

static void kill_worker(const struct slot *slot)
{
	(void)pidfd_send_signal(slot->worker, SIGKILL, NULL, 0);
}

/* It has answered or hung: in neither case is it needed any more. */
static void stop_worker(struct server *server, struct slot *slot, bool abandoned)
{
	kill_worker(slot);
	slot->channel = tm_close(slot->channel);
	slot->used = false;
	server->dying[server->dying_count++] = (struct dying){slot->worker, abandoned};
	server->abandoned += abandoned;
	reap_dying(server);
}

static void relay_result(struct server *server, struct slot *slot)
{
	_cleanup_(tm_closep) int fd = -1;
	struct parser_message result;
	int r = tm_fdpass_recv(slot->channel, &result, sizeof(result), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return;
	if (r || result.kind != PARSER_RESULT || result.status >= PARSER_STATUS_N ||
	    (result.status == PARSER_OK) != (fd >= 0)) {
		slot->channel = tm_close(slot->channel);
		kill_worker(slot);
		slot->deadline = (int64_t)tm_clock_ms() + SERVER_END_MS;
		return;
	}
	send_result(server, slot->id, slot->pid, result.status, fd);
	stop_worker(server, slot, /* abandoned= */ false);
}

/* Why a worker that has ended gave no answer. */
static uint32_t status_of_end(const struct slot *slot, const siginfo_t *end)
{
	bool by_signal = end->si_code == CLD_KILLED || end->si_code == CLD_DUMPED;

	if (slot->killed)
		return PARSER_TIMEOUT;
	return by_signal && end->si_status == SIGXCPU ? PARSER_CPU : PARSER_CRASHED;
}

/* For a worker whose channel is closed: the signal that ended it stands in its end. */
static void take_end(struct server *server, struct slot *slot)
{
	siginfo_t end;

	if (!has_ended(slot->worker, WNOWAIT, &end))
		return;
	send_result(server, slot->id, slot->pid, status_of_end(slot, &end), -1);
	(void)has_ended(slot->worker, 0, &end);
	slot->worker = tm_close(slot->worker);
	slot->used = false;
}

static void keep_deadline(struct server *server, struct slot *slot, int64_t now)
{
	if (!slot->used || now < slot->deadline)
		return;
	if (!slot->killed && slot->channel >= 0) {
		kill_worker(slot);
		slot->killed = true;
		slot->deadline = now + SERVER_DEATH_MS;
		return;
	}
	send_result(server, slot->id, slot->pid, slot->killed ? PARSER_ABANDONED : PARSER_CRASHED,
		    -1);
	stop_worker(server, slot, /* abandoned= */ true);
}

/* Where too many are slow, the oldest ends now. */
static void limit_slow(struct server *server, int64_t now)
{
	struct slot *oldest = NULL;
	unsigned slow = 0;

	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		struct slot *slot = &server->slots[i];

		if (!slot->used || slot->killed || now < slot->begun + PARSER_SLOW_MS)
			continue;
		slow++;
		if (slot->channel >= 0 && (!oldest || slot->begun < oldest->begun))
			oldest = slot;
	}
	if (slow > PARSER_SLOW_MAX && oldest)
		oldest->deadline = now;
}

/* Until a worker is slow or overdue. */
static int poll_timeout(const struct server *server, int64_t now)
{
	int64_t wait = -1;

	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		const struct slot *slot = &server->slots[i];
		int64_t slow = slot->begun + PARSER_SLOW_MS;
		int64_t left = (now < slow && slow < slot->deadline ? slow : slot->deadline) - now;

		if (!slot->used)
			continue;
		left = left > 0 ? left : 0;
		if (wait < 0 || left < wait)
			wait = left;
	}
	return (int)wait;
}

static void serve_worker(struct server *server, struct slot *slot, bool ready)
{
	if (ready && slot->channel >= 0)
		relay_result(server, slot);
	if (slot->used && slot->channel < 0)
		take_end(server, slot);
	keep_deadline(server, slot, (int64_t)tm_clock_ms());
}

/* Of each worker its channel, or its end if it has closed that; and the ends of dying ones. */
static int serve_once(struct server *server)
{
	struct pollfd ready[1 + PARSER_OPEN_MAX + DYING_MAX] = {
		{.fd = server->socket, .events = POLLIN}};
	nfds_t count = 1 + PARSER_OPEN_MAX;
	int r;

	if (!free_slot(server))
		ready[0].events = 0;
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++) {
		const struct slot *slot = &server->slots[i];
		int fd = slot->channel >= 0 ? slot->channel : slot->worker;

		ready[i + 1] = (struct pollfd){.fd = slot->used ? fd : -1, .events = POLLIN};
	}
	for (uint32_t i = 0; i < server->dying_count; i++)
		ready[count++] = (struct pollfd){.fd = server->dying[i].worker, .events = POLLIN};
	r = poll(ready, count, poll_timeout(server, (int64_t)tm_clock_ms()));
	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	limit_slow(server, (int64_t)tm_clock_ms());
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (server->slots[i].used)
			serve_worker(server, &server->slots[i], ready[i + 1].revents != 0);
	reap_dying(server);
	return ready[0].revents ? receive_request(server) : 0;
}

/* Waits for stopped workers, so that their CPU time is counted; not for those that hang. */
static void stop_all(struct server *server)
{
	for (unsigned i = 0; i < PARSER_OPEN_MAX; i++)
		if (server->slots[i].used)
			stop_worker(server, &server->slots[i], /* abandoned= */ false);
	for (int i = 0; i < STOP_TRIES && server->dying_count; i++) {
		(void)poll(NULL, 0, STOP_PAUSE_MS);
		reap_dying(server);
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
