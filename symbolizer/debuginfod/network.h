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
 */

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/debuginfod/options.h"

#define NETWORK_CERTIFICATES_MAX (16u << 20)                  /* bytes of them */
#define NETWORK_PORTS_MAX        (DEBUGINFOD_SERVERS_MAX + 3) /* DNS, http and https too */

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

/* Call from the only thread. Return: 0, -errno (-EINVAL: a server's URL is invalid). */
int network_prepare(struct network *network, const struct options *options);
/* Opens a socket for a connection of libcurl; @network: struct network. A redirect to another port
 * is refused, also where Landlock cannot. */
curl_socket_t network_open_socket(void *network, curlsocktype purpose,
				  struct curl_sockaddr *address);
void network_deinit(struct network *network);
