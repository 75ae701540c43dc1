/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * network - makes libcurl and the name resolution ready, before the sandbox is entered
 *
 * Files      libcurl and OpenSSL open what they need while they are initialised; the certificates
 *            of the authorities are kept in memory. After that only the resolver reads files, those
 *            of network_paths, each time that it looks up a name.
 * Names      looked up in /etc/hosts and by DNS, whatever /etc/nsswitch.conf says: its modules are
 *            libraries, and nothing is loaded once the sandbox is entered. glibc has these two
 *            built in. libcurl looks a name up in a thread of its own.
 * Ports      TCP connections are made to port 53 and to those that were allowed, no others.
 * Users      the child processes of the symbolizer that use libcurl; this folder belongs to none.
 */

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_CERTIFICATES_MAX (16u << 20) /* bytes of them */
#define NETWORK_PORTS_MAX        16u

struct network {
	CURLM *multi;       /* owned */
	void *certificates; /* owned; NULL: there are none, and https fails */
	size_t certificate_bytes;
	uint16_t ports[NETWORK_PORTS_MAX]; /* that connections are made to */
	size_t port_count;
};
#define NETWORK_NULL ((struct network){NULL, NULL, 0, {0}, 0})

/* What the resolver reads; NULL-terminated. */
extern const char *const network_paths[];

/* Call from the only thread. Return: 0, -errno. */
int network_prepare(struct network *network);
/* Before the sandbox is entered. Return: 0, -ENOSPC. */
int network_allow_port(struct network *network, uint16_t port);
/* The port that @url names, or that of its scheme. Return: 0, -EINVAL, -ENOMEM, -ENOSPC. */
int network_allow_url(struct network *network, const char *url);
/* Enters Landlock: the resolver's files and the ports are left. Return: 0 (also where there is no
 * Landlock), -errno. */
int network_restrict(const struct network *network);
/* Opens a socket for a connection of libcurl; @network: struct network. A redirect to another port
 * is refused, also where Landlock cannot. */
curl_socket_t network_open_socket(void *network, curlsocktype purpose,
				  struct curl_sockaddr *address);
void network_deinit(struct network *network);
