/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_server_abandoned - workers that survive SIGKILL are counted; too many end their parser
 *
 * The linker puts functions of this test in the place of the parser's (--wrap): workers that are
 * asked for rows hang, and a signal does not reach them, as if they hung in the kernel.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "symbolizer/parser/server.h"
#include "symbolizer/parser/worker.h"

_Noreturn void __real_worker_run(int channel, const struct worker_job *job);
_Noreturn void __wrap_worker_run(int channel, const struct worker_job *job);
int __wrap_pidfd_send_signal(int pidfd, int number, siginfo_t *info, unsigned flags);

static pid_t server;
static int client;
static pid_t *workers; /* of each request, shared with them */

_Noreturn void __wrap_worker_run(int channel, const struct worker_job *job)
{
	if (job->request.kind != PARSER_ROWS)
		__real_worker_run(channel, job);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	workers[job->request.id] = getpid();
	for (;;)
		(void)pause();
}

int __wrap_pidfd_send_signal(int pidfd, int number, siginfo_t *info, unsigned flags)
{
	return 0;
}

static int begin(void **state)
{
	int ends[2];

	workers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (workers == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	server = fork();
	if (server == 0) {
		(void)close(ends[0]);
		_exit(server_run(ends[1]) != -EBUSY);
	}
	client = ends[0];
	return server < 0 || close(ends[1]) < 0 ? -1 : 0;
}

static int end(void **state)
{
	(void)close(client);
	return munmap(workers, 4096);
}

static void ask(uint32_t id, enum parser_kind kind) /* of the vDSO */
{
	const struct parser_message request = {.kind = kind, .id = id};

	assert_int_equal(tm_fdpass_send(client, &request, sizeof(request), -1, 0), 0);
}

/* Return: the id. */
static uint32_t expect(uint32_t status)
{
	struct parser_message result;
	int fd;

	assert_int_equal(tm_fdpass_recv(client, &result, sizeof(result), &fd, 0), 0);
	assert_int_equal(result.status, status);
	if (fd >= 0)
		(void)close(fd);
	return result.id;
}

/* Until the server can reap it. */
static void end_worker(uint32_t id)
{
	struct pollfd gone = {.fd = pidfd_open(workers[id], 0), .events = POLLIN};

	assert_true(gone.fd >= 0);
	assert_int_equal(kill(workers[id], SIGKILL), 0);
	assert_int_equal(poll(&gone, 1, -1), 1);
	(void)close(gone.fd);
}

static void parser_with_too_many_abandoned_workers_ends(void **state)
{
	struct parser_message result;
	uint32_t next = 0, first;
	int status;

	while (next < PARSER_OPEN_MAX)
		ask(next++, PARSER_ROWS);
	first = expect(PARSER_ABANDONED);
	for (unsigned i = 1; i < PARSER_ABANDONED_MAX; i++) {
		ask(next++, PARSER_ROWS);
		(void)expect(PARSER_ABANDONED);
	}
	end_worker(first);
	ask(next, PARSER_SYMBOLS); /* one of them has ended after all */
	assert_int_equal(expect(PARSER_OK), next);
	ask(next++, PARSER_ROWS);
	(void)expect(PARSER_ABANDONED);
	ask(next, PARSER_SYMBOLS);
	assert_int_equal(tm_fdpass_recv(client, &result, sizeof(result), NULL, 0),
			 TM_FDPASS_E_CLOSED);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parser_with_too_many_abandoned_workers_ends, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
