/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * service - what a program that systemd runs has from it: sockets, notifications, its signals
 *
 * Shape      listening sockets and stored descriptors come by number and name (LISTEN_FDS,
 *            LISTEN_FDNAMES); states go to a datagram socket (NOTIFY_SOCKET) as NAME=VALUE lines.
 * Order      tm_service_init before the environment is cleared, before threads and the filter; all
 *            other calls work behind the filter and never wait.
 * Trust      the service manager is trusted; a program without one has no descriptor from it, and
 *            its notifications go nowhere.
 * Owner      struct tm_service owns its descriptors until tm_service_deinit; what tm_service_take
 *            returns is the caller's.
 * Errors     -errno. A notification that cannot be sent is dropped: systemd's own time-outs judge.
 * Limits     TM_SERVICE_FDS_MAX descriptors; further ones are closed and counted in `dropped`.
 * Source     sd_listen_fds(3), sd_notify(3), systemd.service(5).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TM_SERVICE_FDS_MAX   16384 /* FileDescriptorStoreMax= of the collector */
#define TM_SERVICE_FD_NAME   32    /* bytes of a name, the NUL included; a longer one is cut */
#define TM_SERVICE_STORE_MAX 253   /* descriptors in one message: SCM_MAX_FD, include/net/scm.h */
#define TM_SERVICE_STATE_MAX 512   /* bytes of one notification */

struct tm_service_fd {
	int fd; /* -1: taken */
	char name[TM_SERVICE_FD_NAME];
};

struct tm_service {
	int notify;        /* connected datagram socket; -1: nobody wants to know */
	int signals;       /* readable when the program is to end (SIGTERM, SIGINT); -1: none */
	uint64_t alive_ms; /* between two signs of life; 0: none are wanted */
	uint64_t next_ms;  /* when the next one is due */
	size_t count;      /* of fds */
	size_t dropped;    /* descriptors beyond TM_SERVICE_FDS_MAX */
	struct tm_service_fd fds[TM_SERVICE_FDS_MAX];
};

/* Takes what the environment names, and blocks the signals that `signals` then tells of.
 * Return: 0, -errno. */
int tm_service_init(struct tm_service *service);
void tm_service_deinit(struct tm_service *service);
/* Return: the first descriptor of that name that was not taken yet, the caller's; -1: none. */
int tm_service_take(struct tm_service *service, const char *name);
/* A listening socket, as tm_service_take; made non-blocking. */
int tm_service_take_listener(struct tm_service *service, const char *name);
/* Sends one state, such as "READY=1" or several lines. */
__attribute__((format(printf, 2, 3))) void tm_service_notify(const struct tm_service *service,
							     const char *format, ...);
/* Says "alive" when that is due. @now_ms: CLOCK_MONOTONIC. */
void tm_service_alive(struct tm_service *service, uint64_t now_ms);
/* Gives descriptors to systemd's store, under one name, to be had again after a restart; they stay
 * the caller's, too. Return: 0, -errno; -ENOTCONN: there is no service manager. */
int tm_service_store(const struct tm_service *service, const char *name, const int *fds,
		     size_t count);
/* Has systemd close what is stored under this name. */
void tm_service_unstore(const struct tm_service *service, const char *name);
/* Has systemd close @fd once it has read all that was sent before. Return: as tm_service_store. */
int tm_service_barrier(const struct tm_service *service, int fd);
/* Whether a signal asks the program to end. */
bool tm_service_is_stopped(const struct tm_service *service);

/* Return: a connection that waits at @listener, CLOEXEC; -1: none. */
int tm_service_accept(int listener);
/* Connects to the SEQPACKET socket at @path, waiting for room in its queue. Return: the socket,
 * CLOEXEC; -errno. */
int tm_service_connect(const char *path);
