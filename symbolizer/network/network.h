/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * network - makes libcurl and the name resolution ready, before the sandbox is entered
 *
 * Files      libcurl and OpenSSL open what they need while they are initialised; the certificates
 *            of the authorities are kept in memory. After that only the resolver reads files, those
 *            of network_paths, each time that it looks up a name. Landlock allows these by inode,
 *            so one that is replaced (DHCP and systemd-resolved do that) cannot be read any more,
 *            and only another process can enter new rules: network_stale_file.
 * Names      looked up in /etc/hosts and by DNS, whatever /etc/nsswitch.conf says: its modules are
 *            libraries, and nothing is loaded once the sandbox is entered. glibc has these two
 *            built in. libcurl looks a name up in a thread of its own.
 * Ports      TCP connections are made to port 53 and to those that were allowed, no others.
 * Users      the child processes of the symbolizer that use libcurl; this folder belongs to none.
 */

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_CERTIFICATES_MAX (16u << 20) /* bytes of them */
#define NETWORK_PORTS_MAX        16u
#define NETWORK_FILES            4u

struct network_file { /* 0, 0: there is none */
	uint64_t device;
	uint64_t inode;
};

struct network {
	CURLM *multi;       /* owned */
	void *certificates; /* owned; NULL: there are none, and https fails */
	size_t certificate_bytes;
	uint16_t ports[NETWORK_PORTS_MAX]; /* that connections are made to */
	size_t port_count;
	bool restricted; /* by Landlock, to these files: */
	struct network_file files[NETWORK_FILES];
};
#define NETWORK_NULL ((struct network){.multi = NULL})

/* What the resolver reads; NULL-terminated. */
extern const char *const network_paths[NETWORK_FILES + 1];

/* Call from the only thread. Return: 0, -errno. */
int network_prepare(struct network *network);
/* Before the sandbox is entered. Return: 0, -ENOSPC. */
int network_allow_port(struct network *network, uint16_t port);
/* The port that @url names, or that of its scheme. Return: 0, -EINVAL, -ENOMEM, -ENOSPC. */
int network_allow_url(struct network *network, const char *url);
/* Enters Landlock: the resolver's files and the ports are left. Return: 0 (also where there is no
 * Landlock), -errno. */
int network_restrict(struct network *network);
/* Return: which of the resolver's files is another one than the sandbox allows to be read; NULL:
 * none. */
const char *network_stale_file(const struct network *network);
/* Return: whether a stale file may be why a transfer failed with @code. Then @text says so. */
bool network_explain(const struct network *network, CURLcode code, char *text, size_t bytes);
/* Opens a socket for a connection of libcurl; @network: struct network. A redirect to another port
 * is refused, also where Landlock cannot. */
curl_socket_t network_open_socket(void *network, curlsocktype purpose,
				  struct curl_sockaddr *address);
void network_deinit(struct network *network);
