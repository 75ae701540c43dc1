/* SPDX-License-Identifier: Apache-2.0 */
/* listen - makes listening sockets, and becomes the program that gets them as from systemd */

#include "service/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/program.h"
#include "shared/cleanup.h"

#define FIRST_FD    3 /* SD_LISTEN_FDS_START */
#define NAMES_BYTES 256
#define EXIT_FAILED 1
#define EXIT_USAGE  2

struct listeners {
	int count;
	int fds[LISTEN_SOCKETS_MAX];
	char names[NAMES_BYTES]; /* with colons between */
};

/* What an earlier run left. Return: 0, -errno. */
static int remove_socket(const char *path)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(status.st_mode))
		return -EEXIST;
	return unlink(path) < 0 ? -errno : 0;
}

/* Return: descriptor, -errno. */
static int open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_(tm_closep) int fd = -1;
	int r;

	if (path[0] != '/' || strlen(path) >= sizeof(address.sun_path))
		return -EINVAL;
	memcpy(address.sun_path, path, strlen(path) + 1);
	r = remove_socket(path);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, SOMAXCONN) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}

/* @text: NAME=PATH. Return: 0, -errno. */
static int add(struct listeners *listeners, const char *text)
{
	const char *equals = strchr(text, '=');
	const size_t used = strlen(listeners->names);
	const int name = equals ? (int)(equals - text) : 0;
	int length, fd;

	if (name <= 0 || memchr(text, ':', (size_t)name) || listeners->count == LISTEN_SOCKETS_MAX)
		return -EINVAL;
	length = snprintf(listeners->names + used, NAMES_BYTES - used, "%s%.*s", used ? ":" : "",
			  name, text);
	if (length < 0 || (size_t)length >= NAMES_BYTES - used)
		return -EINVAL;
	fd = open_socket(equals + 1);
	if (fd < 0)
		return fd;
	listeners->fds[listeners->count++] = fd;
	return 0;
}

/* To the numbers where they are looked for, which some of them may have already: first all are
 * moved out of the way. Return: 0, -errno. */
static int move(struct listeners *listeners)
{
	int i;

	for (i = 0; i < listeners->count; i++) {
		listeners->fds[i] =
			fcntl(listeners->fds[i], F_DUPFD_CLOEXEC, FIRST_FD + LISTEN_SOCKETS_MAX);
		if (listeners->fds[i] < 0)
			return -errno;
	}
	for (i = 0; i < listeners->count; i++)
		if (dup2(listeners->fds[i], FIRST_FD + i) < 0)
			return -errno;
	return 0;
}

static int set_number(const char *name, int number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", number);
	return setenv(name, text, 1) < 0 ? -errno : 0;
}

/* Return: 0, -errno. */
static int announce(const struct listeners *listeners)
{
	int r = set_number("LISTEN_FDS", listeners->count);

	if (r == 0)
		r = set_number("LISTEN_PID", getpid());
	if (r == 0 && setenv("LISTEN_FDNAMES", listeners->names, 1) < 0)
		r = -errno;
	return r;
}

int listen_main(char **argv)
{
	static struct listeners listeners;
	static struct program program;
	mode_t mask = umask(0117);
	int r;

	for (; *argv && strcmp(*argv, "--") != 0; argv++) {
		r = add(&listeners, *argv);
		if (r < 0) {
			(void)fprintf(stderr, "%s: %s\n", *argv, strerror(-r));
			return EXIT_FAILED;
		}
	}
	if (listeners.count == 0 || !argv[0] || !argv[1]) {
		(void)fputs("listen: NAME=PATH... -- PROGRAM is needed\n", stderr);
		return EXIT_USAGE;
	}
	(void)umask(mask);
	r = move(&listeners);
	if (r == 0)
		r = announce(&listeners);
	if (r < 0) {
		(void)fprintf(stderr, "the sockets cannot be passed on: %s\n", strerror(-r));
		return EXIT_FAILED;
	}
	program_init(&program, argv[1]);
	program_add_all(&program, argv + 2);
	return program_become(&program);
}
