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
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/opener/candidates.h"
#include "collector/opener/root_paths.h"
#include "opener_filter.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/option.h"
#include "shared/sandbox.h"

#define OPENER_REAP_MS   50

#define WORKER_E_REFUSED 1 /* of a verdict */

struct server {
	int socket;
	unsigned workers; /* not yet waited for */
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

/* Whatever was inherited, nothing keeps a worker's deadline from ending it. */
static int set_signals(void)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t none;

	(void)sigemptyset(&none);
	if (sigaction(SIGALRM, &standard, NULL) < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return -errno;
	return 0;
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
		r = set_signals();
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

/* Return: 0, -errno: the collector is gone, too. */
static int send_answer(int socket, const struct opener_answer *answer, int fd)
{
	int r = tm_fdpass_send(socket, answer, sizeof(*answer), fd, 0);

	return r > 0 ? -EPIPE : r;
}

static int await_verdict(int socket)
{
	struct opener_verdict verdict;
	int r = tm_fdpass_recv(socket, &verdict, sizeof(verdict), /* ret_fd= */ NULL, 0);

	if (r != 0)
		return r < 0 ? r : -EPIPE;
	return verdict.accepted ? 0 : WORKER_E_REFUSED;
}

/* SIGALRM ends the worker at its deadline, also where it waits in the kernel, unless nothing can
 * end it there. The time that the collector takes is not its own. 0: it has none. */
static int set_deadline(unsigned milliseconds)
{
	const struct itimerval deadline = {
		.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};

	return setitimer(ITIMER_REAL, &deadline, NULL) < 0 ? -errno : 0;
}

/*
 * Maps the opened file, so that the collector can ask the kernel which file it is, and hands it
 * over once it is accepted. The page is never accessed: a page fault on a hung mount cannot be
 * interrupted.
 * Return: 0: handed over; WORKER_E_REFUSED; -errno.
 */
static int offer(int socket, int fd)
{
	struct opener_answer answer = {.status = OPENER_OPENED, .worker = (uint32_t)getpid()};
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	struct statx status;
	int r;

	if (page == MAP_FAILED ||
	    statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID, &status) < 0)
		return -errno;
	answer.owner = status.stx_uid;
	answer.address = (uint64_t)(uintptr_t)page;
	r = send_answer(socket, &answer, -1);
	(void)set_deadline(0); /* does not fail, since it did not before */
	if (r == 0)
		r = await_verdict(socket);
	(void)set_deadline(OPENER_DEADLINE_MS);
	(void)munmap(page, bytes);
	answer.status = OPENER_HANDED;
	return r ? r : send_answer(socket, &answer, fd);
}

/* Tries one candidate after another. Return: why there is no descriptor; 0: it was handed over, or
 * that failed. */
static enum tm_no_file try_candidates(int socket, const struct opener_request *request)
{
	struct root_paths paths = {.count = CANDIDATES_N};
	bool sampled = request->kind == OPENER_ASK;
	enum tm_no_file reason = TM_NO_FILE_GONE;

	if (!sampled && root_paths_begin(&paths, request) < 0)
		return TM_NO_FILE_OPENER;
	for (unsigned which = 0; which < paths.count; which++) {
		_cleanup_(tm_closep) int fd =
			sampled ? candidates_open(which, request) : root_paths_open(&paths, which);

		if (fd < 0) {
			if (reason == TM_NO_FILE_GONE)
				reason = candidates_reason(fd);
			continue;
		}
		if (offer(socket, fd) != WORKER_E_REFUSED)
			return 0;
		reason = TM_NO_FILE_OTHER;
	}
	return reason;
}

/* Runs in the worker, which ends with the opener, even if that has ended already. */
static void work(int socket, const struct opener_request *request, pid_t opener)
{
	struct opener_answer answer = {.status = OPENER_STARTED};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != opener || set_deadline(OPENER_DEADLINE_MS) < 0 ||
	    send_answer(socket, &answer, -1) < 0)
		return;
	answer.status = try_candidates(socket, request);
	if (answer.status)
		(void)send_answer(socket, &answer, -1);
}

static void reap(struct server *server)
{
	while (server->workers > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		server->workers--;
}

/* Takes @socket, whose end is the answer if no worker can be started. Return: 0; -EBUSY: too many
 * are abandoned. */
static int start_worker(struct server *server, const struct opener_request *request, int socket)
{
	_cleanup_(tm_closep) int end = socket;
	pid_t opener = getpid(), pid;

	/* One that has answered may not have ended yet: it gets as long for that. */
	for (unsigned waited = 0;
	     server->workers >= OPENER_WORKERS_MAX && waited < OPENER_DEADLINE_MS + OPENER_DEATH_MS;
	     waited += OPENER_REAP_MS) {
		(void)poll(NULL, 0, OPENER_REAP_MS);
		reap(server);
	}
	if (server->workers >= OPENER_WORKERS_MAX)
		return -EBUSY;
	pid = fork();
	if (pid == 0) {
		(void)close(server->socket); /* an abandoned worker would keep it open */
		work(end, request, opener);
		_exit(0);
	}
	server->workers += pid > 0;
	return 0;
}

/* Return: TM_FDPASS_E_CLOSED: the collector is gone, perhaps with a request open; -errno. */
static int serve(struct server *server)
{
	struct pollfd wait = {.fd = server->socket, .events = POLLIN};
	static struct opener_request request;
	int r = 0;

	while (r == 0) {
		int socket = -1;

		reap(server);
		if (poll(&wait, 1, server->workers ? OPENER_DEADLINE_MS : -1) <= 0)
			continue;
		r = tm_fdpass_recv(server->socket, &request, sizeof(request), &socket, 0);
		request.path[OPENER_PATH_BYTES - 1] = '\0';
		if (r == 0 && (socket < 0 || request.kind - 1 >= OPENER_PERF_MAP))
			r = -EBADMSG;
		if (r == 0)
			r = start_worker(server, &request, socket);
	}
	return r;
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
