/* SPDX-License-Identifier: Apache-2.0 */
/* test_child - a child has its socket and nothing else of its parent's, and ends with it */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/option.h"

static int self;

/* Counts the descriptors other than the standard ones, the socket and that of the folder. */
static unsigned inherited_descriptors(int socket)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		count += fd > 2 && fd != socket && fd != dirfd(folder);
	}
	if (folder)
		(void)closedir(folder);
	return count;
}

/* Runs in the child: sends one byte that says what it has, then waits for its end. */
static int serve(int socket)
{
	char found = (char)('0' + inherited_descriptors(socket) + (environ && *environ ? 100 : 0)),
	     end;

	if (send(socket, &found, 1, 0) != 1)
		return 1;
	return recv(socket, &end, 1, 0) == 0 ? 0 : 2;
}

static void child_has_its_socket_alone(void **state)
{
	/* below, between and above the program and the socket; not closed at exec */
	int low = dup(STDIN_FILENO), high = fcntl(STDIN_FILENO, F_DUPFD, 500);
	struct tm_child child = TM_CHILD_NULL;
	uint64_t cpu_ns = 0, rss_bytes = 0;
	char found = 0;

	assert_int_equal(tm_child_start(&child, self, "child", NULL), 0);
	assert_int_equal(recv(child.socket, &found, 1, 0), 1);
	assert_int_equal(found, '0');
	tm_child_stop(&child, &cpu_ns, &rss_bytes);
	assert_int_equal(child.pid, 0);
	assert_int_equal(child.socket, -1);
	assert_true(rss_bytes > 0);
	(void)close(low);
	(void)close(high);
}

static int refuse(void)
{
	return -EPERM;
}

static void child_that_cannot_be_prepared_runs_nothing(void **state)
{
	struct tm_child child = TM_CHILD_NULL;
	uint64_t cpu_ns, rss_bytes;
	char found;

	assert_int_equal(tm_child_start(&child, self, "child", refuse), 0);
	assert_int_equal(recv(child.socket, &found, 1, 0), 0);
	tm_child_stop(&child, &cpu_ns, &rss_bytes);
}

static void stopping_no_child_does_nothing(void **state)
{
	struct tm_child child = TM_CHILD_NULL;
	uint64_t cpu_ns = 1, rss_bytes = 1;

	tm_child_stop(&child, &cpu_ns, &rss_bytes);
	assert_int_equal(cpu_ns + rss_bytes, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_has_its_socket_alone),
		cmocka_unit_test(child_that_cannot_be_prepared_runs_nothing),
		cmocka_unit_test(stopping_no_child_does_nothing),
	};
	int socket = tm_option_socket(argc, argv);

	if (socket >= 0)
		return serve(socket);
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
