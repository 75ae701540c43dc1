/* SPDX-License-Identifier: Apache-2.0 */
/* service - what a program that systemd runs has from it: sockets, notifications, its signals */

#include "shared/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/parse.h"

#define FIRST_FD   3 /* SD_LISTEN_FDS_START */
#define US_PER_MS  1000u
#define ALIVE_PART 2u /* signs of life in one watchdog interval */

/* A number in the environment. Return: whether it is there and within the limits. */
static bool number_of(const char *name, uint64_t least, uint64_t most, uint64_t *ret_number)
{
	const char *text = getenv(name);

	return text && tm_parse_number(text, least, most, ret_number) == 0;
}

/* Whether a variable that names a process names this one. */
static bool is_for_us(const char *name)
{
	uint64_t pid;

	return number_of(name, 1, INT32_MAX, &pid) && pid == (uint64_t)getpid();
}

/* --- descriptors ------------------------------------------------------------------------------ */

static void add(struct tm_service *service, int fd, const char *name, size_t length)
{
	struct tm_service_fd *entry = &service->fds[service->count];

	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return; /* not open */
	if (service->count == TM_SERVICE_FDS_MAX) {
		(void)close(fd);
		service->dropped++;
		return;
	}
	length = length < sizeof(entry->name) ? length : sizeof(entry->name) - 1;
	entry->fd = fd;
	memcpy(entry->name, name, length);
	entry->name[length] = '\0';
	service->count++;
}

static void take_descriptors(struct tm_service *service)
{
	const char *names = getenv("LISTEN_FDNAMES");
	uint64_t count = 0;

	if (!is_for_us("LISTEN_PID") || !number_of("LISTEN_FDS", 1, 1u << 20, &count))
		return;
	for (uint64_t i = 0; i < count; i++) {
		size_t length = names ? strcspn(names, ":") : 0;

		add(service, FIRST_FD + (int)i, names ? names : "", length);
		if (names && *(names += length) == ':')
			names++;
	}
}

int tm_service_take(struct tm_service *service, const char *name)
{
	for (size_t i = 0; i < service->count; i++)
		if (service->fds[i].fd >= 0 && strcmp(service->fds[i].name, name) == 0)
			return TM_TAKE_FD(service->fds[i].fd);
	return -1;
}

int tm_service_take_listener(struct tm_service *service, const char *name)
{
	int fd = tm_service_take(service, name);

	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* --- notifications ---------------------------------------------------------------------------- */

/* @path: of a socket, or, behind an @, a name in the abstract namespace. Return: 0, -EINVAL. */
static int address_of(const char *path, struct sockaddr_un *ret_address, socklen_t *ret_bytes)
{
	size_t length = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || length < 2 ||
	    length >= sizeof(ret_address->sun_path))
		return -EINVAL;
	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret_address->sun_path, path, length);
	if (path[0] == '@')
		ret_address->sun_path[0] = '\0';
	*ret_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length +
				 (path[0] == '/')); /* with its NUL */
	return 0;
}

/* Return: a connected socket, -errno. */
static int connect_to(const char *path, int type)
{
	struct sockaddr_un address;
	_cleanup_(tm_closep) int fd = -1;
	socklen_t bytes;
	int r = address_of(path, &address, &bytes);

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	do
		r = connect(fd, (const struct sockaddr *)&address, bytes);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : TM_TAKE_FD(fd);
}

/* @fds: NULL: none. Return: 0, -errno. */
static int send_state(const struct tm_service *service, const char *state, const int *fds,
		      size_t count)
{
	char control[CMSG_SPACE(sizeof(int) * TM_SERVICE_STORE_MAX)] = {0};
	struct iovec text = {(char *)(uintptr_t)state, strlen(state)};
	struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
	struct cmsghdr *head = (struct cmsghdr *)(void *)control;

	if (service->notify < 0)
		return -ENOTCONN;
	if (count > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(head), fds, sizeof(int) * count);
	}
	while (sendmsg(service->notify, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

void tm_service_notify(const struct tm_service *service, const char *format, ...)
{
	char state[TM_SERVICE_STATE_MAX];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(state, sizeof(state), format, arguments);
	va_end(arguments);
	(void)send_state(service, state, NULL, 0);
}

void tm_service_alive(struct tm_service *service, uint64_t now_ms)
{
	if (!service->alive_ms || now_ms < service->next_ms)
		return;
	service->next_ms = now_ms + service->alive_ms;
	(void)send_state(service, "WATCHDOG=1", NULL, 0);
}

/* FDPOLL=0: else systemd drops a descriptor that polls as hung up, as perf events do. */
int tm_service_store(const struct tm_service *service, const char *name, const int *fds,
		     size_t count)
{
	char state[TM_SERVICE_STATE_MAX];
	int r = 0;

	(void)snprintf(state, sizeof(state), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	for (size_t done = 0; r == 0 && done < count;) {
		size_t some =
			count - done < TM_SERVICE_STORE_MAX ? count - done : TM_SERVICE_STORE_MAX;

		r = send_state(service, state, fds + done, some);
		done += some;
	}
	return r;
}

void tm_service_unstore(const struct tm_service *service, const char *name)
{
	tm_service_notify(service, "FDSTOREREMOVE=1\nFDNAME=%s", name);
}

int tm_service_barrier(const struct tm_service *service, int fd)
{
	return send_state(service, "BARRIER=1", &fd, 1);
}

/* --- life ------------------------------------------------------------------------------------- */

static int open_signals(void)
{
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int tm_service_init(struct tm_service *service)
{
	const char *notify = getenv("NOTIFY_SOCKET");
	uint64_t watchdog_us = 0;

	memset(service, 0, sizeof(*service)); /* too large for a compound literal */
	service->notify = service->signals = -1;
	take_descriptors(service);
	if (notify) {
		service->notify = connect_to(notify, SOCK_DGRAM);
		if (service->notify < 0)
			return service->notify;
	}
	if (number_of("WATCHDOG_USEC", 1, UINT64_MAX, &watchdog_us) &&
	    (!getenv("WATCHDOG_PID") || is_for_us("WATCHDOG_PID")))
		service->alive_ms = watchdog_us / US_PER_MS / ALIVE_PART;
	service->signals = open_signals();
	return service->signals < 0 ? service->signals : 0;
}

void tm_service_deinit(struct tm_service *service)
{
	for (size_t i = 0; i < service->count; i++)
		service->fds[i].fd = tm_close(service->fds[i].fd);
	service->count = 0;
	service->notify = tm_close(service->notify);
	service->signals = tm_close(service->signals);
}

bool tm_service_is_stopped(const struct tm_service *service)
{
	struct pollfd signals = {.fd = service->signals, .events = POLLIN};

	return service->signals >= 0 && poll(&signals, 1, 0) > 0;
}

int tm_service_accept(int listener)
{
	int fd;

	if (listener < 0)
		return -1;
	do
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	return fd;
}

int tm_service_connect(const char *path)
{
	return connect_to(path, SOCK_SEQPACKET);
}
