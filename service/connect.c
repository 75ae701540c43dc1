/* SPDX-License-Identifier: Apache-2.0 */
/* connect - connects to the socket of another service, and becomes the program that uses it */

#include "service/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/program.h"
#include "shared/service.h"

/* Whoever listens there may be stopped, or may not have been started yet. */
static int connect_patiently(const char *path)
{
	for (;;) {
		int fd = tm_service_connect(path);

		if (fd != -ENOENT && fd != -ECONNREFUSED)
			return fd;
		(void)poll(NULL, 0, CONNECT_WAIT_MS);
	}
}

int connect_main(char **argv)
{
	static struct program program;
	int socket = connect_patiently(argv[0]);

	if (socket < 0 || fcntl(socket, F_SETFD, 0) < 0) {
		(void)fprintf(stderr, "%s: %s\n", argv[0],
			      socket < 0 ? strerror(-socket) : "cannot be passed on");
		return 1;
	}
	program_init(&program, argv[1]);
	program_add(&program, "--socket-fd=%d", socket);
	program_add_all(&program, argv + 2);
	return program_become(&program);
}
