/* SPDX-License-Identifier: Apache-2.0 */
/* tidemark-opener - opens sampled files for the collector, each in a worker process of its own */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/opener/candidates.h"
#include "collector/opener/root_paths.h"
#include "opener_filter.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/option.h"
#include "shared/sandbox.h"

#define KILL_MS          200 /* a worker that SIGKILL has not ended after so long is abandoned */

#define WORKER_E_REFUSED 1 /* of a verdict */

struct server {
	int socket;
	uint32_t abandoned;       /* workers abandoned so far */
	unsigned abandoned_alive; /* of those, not yet ended */
};

/* Keeps the capabilities that it was started with; none can be passed on. */
static int drop_privileges(void)
{
	cap_t caps = cap_get_proc();
	int r = 0;

	if (!caps || cap_clear_flag(caps, CAP_INHERITABLE) < 0 || cap_set_proc(caps) < 0 ||
	    cap_reset_ambient() < 0)
		r = -errno;
	(void)cap_free(caps);
	return r;
}

/*
 * The last step that may fail and still be reported in a regular file: from then on no file can
 * grow, and a write to one fails instead of ending the opener.
 */
static int forbid_writing(void)
{
	static const struct rlimit none = {0, 0};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGXFSZ, &ignore, NULL);
	return setrlimit(RLIMIT_FSIZE, &none) < 0 ? -errno : 0;
}

static int harden(void)
{
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-opener");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	r = tm_sandbox_harden();
	if (r == 0)
		r = drop_privileges();
	if (r == 0)
		r = tm_sandbox_limits(tm_sandbox_descriptors(TM_FDPASS_DESCRIPTORS), 0);
	if (r == 0)
		r = forbid_writing();
	if (r == 0)
		r = tm_sandbox_filter(&opener_filter);
	/* An abandoned worker must not keep a terminal or pipe open whose reader waits for its end;
	 * a failure is still to be reported. */
	for (int i = 0; r == 0 && i < 3; i++)
		(void)close(i);
	return r;
}

static void reap(struct server *server)
{
	while (server->abandoned_alive > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		server->abandoned_alive--;
}

/* Sends the final answer that there is no descriptor, and why. */
static int refuse(const struct server *server, uint32_t id, enum tm_no_file reason)
{
	const struct opener_answer answer = {
		.id = id, .status = reason, .abandoned = server->abandoned};

	return tm_fdpass_send(server->socket, &answer, sizeof(answer), -1, 0);
}

static int await_verdict(int socket, uint32_t id)
{
	struct opener_request verdict;
	int r = tm_fdpass_recv(socket, &verdict, sizeof(verdict), /* ret_fd= */ NULL, 0);

	if (r != 0)
		return r < 0 ? r : -EPIPE;
	if (verdict.kind != OPENER_VERDICT || verdict.id != id)
		return -EBADMSG;
	return verdict.accepted ? 0 : WORKER_E_REFUSED;
}

/*
 * Maps the opened file, so that the collector can ask the kernel which file it is, and hands it
 * over once it is accepted. The page is never accessed: a page fault on a hung mount cannot be
 * interrupted.
 * Return: 0: handed over; WORKER_E_REFUSED; -errno.
 */
static int offer(int socket, int fd, struct opener_answer *answer)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	struct statx status;
	int r;

	if (page == MAP_FAILED ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID, &status) < 0)
		return -errno;
	answer->owner = status.stx_uid;
	answer->status = OPENER_OPENED;
	answer->worker = (uint32_t)getpid();
	answer->address = (uint64_t)(uintptr_t)page;
	r = tm_fdpass_send(socket, answer, sizeof(*answer), -1, 0);
	if (r == 0)
		r = await_verdict(socket, answer->id);
	else if (r > 0)
		r = -EPIPE;
	(void)munmap(page, bytes);
	answer->status = OPENER_HANDED;
	return r ? r : tm_fdpass_send(socket, answer, sizeof(*answer), fd, 0) ? -EPIPE : 0;
}

/* Runs in the worker: tries one candidate after another. Return: exit code, 0: answered. */
static int work(const struct server *server, const struct opener_request *request)
{
	struct opener_answer answer = {.id = request->id, .abandoned = server->abandoned};
	struct root_paths paths = {.count = CANDIDATES_N};
	bool sampled = request->kind == OPENER_ASK;
	enum tm_no_file reason = TM_NO_FILE_GONE;

	if (!sampled && root_paths_begin(&paths, request) < 0)
		return refuse(server, request->id, TM_NO_FILE_OPENER) != 0;
	for (unsigned which = 0; which < paths.count; which++) {
		_cleanup_(tm_closep) int fd =
			sampled ? candidates_open(which, request) : root_paths_open(&paths, which);
		int r;

		if (fd < 0) {
			if (reason == TM_NO_FILE_GONE)
				reason = candidates_reason(fd);
			continue;
		}
		r = offer(server->socket, fd, &answer);
		if (r <= 0)
			return r < 0;
		reason = TM_NO_FILE_OTHER;
	}
	return refuse(server, request->id, reason) != 0;
}

static bool ended_within(int pidfd, int milliseconds)
{
	struct pollfd wait = {.fd = pidfd, .events = POLLIN};

	return poll(&wait, 1, milliseconds) > 0;
}

/* Waits for the worker, and answers in its place if it did not. Return: 0: answered, else the
 * socket is gone or there is no descriptor for a pidfd. */
static int supervise(struct server *server, pid_t pid, uint32_t id)
{
	_cleanup_(tm_closep) int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int status = 0;
	bool late;

	if (pidfd < 0)
		return -errno;
	late = !ended_within(pidfd, OPENER_DEADLINE_MS);
	if (late)
		(void)kill(pid, SIGKILL);
	if (late && !ended_within(pidfd, KILL_MS)) {
		server->abandoned++;
		server->abandoned_alive++;
	} else {
		(void)waitpid(pid, &status, 0);
	}
	if (late)
		return refuse(server, id, TM_NO_FILE_TIMEOUT);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return refuse(server, id, TM_NO_FILE_OPENER);
	return 0;
}

static int serve_ask(struct server *server, const struct opener_request *request)
{
	pid_t pid;

	reap(server);
	if (server->abandoned_alive >= OPENER_ABANDONED_MAX)
		return -EBUSY;
	pid = fork();
	if (pid < 0)
		return refuse(server, request->id, TM_NO_FILE_OPENER);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(work(server, request));
	}
	return supervise(server, pid, request->id);
}

/* Return: TM_FDPASS_E_CLOSED: the collector is gone, perhaps with a request open; -errno. */
static int serve(struct server *server)
{
	static struct opener_request request;

	for (;;) {
		int r = tm_fdpass_recv(server->socket, &request, sizeof(request), NULL, 0);

		if (r != 0)
			return r;
		request.path[OPENER_PATH_BYTES - 1] = '\0';
		if (request.kind - 1 >= OPENER_PERF_MAP || request.kind == OPENER_VERDICT)
			continue; /* a verdict for a worker that has ended */
		r = serve_ask(server, &request);
		if (r != 0)
			return r;
	}
}

int main(int argc, char **argv)
{
	struct server server = {.socket = tm_option_socket(argc, argv)};
	int r;

	if (server.socket < 0) {
		(void)fprintf(stderr, "tidemark-opener: --socket-fd=N is missing or invalid; only "
				      "tidemark-collector starts this program\n");
		return 2;
	}
	r = harden();
	if (r < 0) {
		(void)fprintf(stderr, "tidemark-opener: cannot enter its sandbox: %s\n",
			      strerror(-r));
		return 3;
	}
	return serve(&server) == TM_FDPASS_E_CLOSED ? 0 : 1;
}
