/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network - makes libcurl and the name resolution ready, before the sandbox is entered
 */

#include "symbolizer/network/network.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <nss.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/landlock.h"
#include "shared/parse.h"
#include "shared/sandbox.h"

#define PORT_DNS 53

const char *const network_paths[NETWORK_FILES + 1] = {"/etc/hosts", "/etc/resolv.conf",
						      "/etc/host.conf", "/etc/gai.conf", NULL};

/* Reads the file that libcurl was built for. Return: 0 (also if there is none), -errno. */
static int read_certificates(struct network *network)
{
	const char *path = curl_version_info(CURLVERSION_NOW)->cainfo;
	_cleanup_(tm_closep) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat status;
	ssize_t got;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size <= 0 || status.st_size > NETWORK_CERTIFICATES_MAX)
		return -EFBIG;
	network->certificates = malloc((size_t)status.st_size);
	if (!network->certificates)
		return -ENOMEM;
	got = pread(fd, network->certificates, (size_t)status.st_size, 0);
	if (got < 0)
		return -errno;
	network->certificate_bytes = (size_t)got;
	return 0;
}

int network_allow_port(struct network *network, uint16_t port)
{
	if (network->port_count == NETWORK_PORTS_MAX)
		return -ENOSPC;
	network->ports[network->port_count++] = port;
	return 0;
}

int network_allow_url(struct network *network, const char *text)
{
	CURLU *url = curl_url();
	uint64_t number = 0;
	char *port = NULL;
	int r = -EINVAL;

	if (!url)
		return -ENOMEM;
	if (curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
	    curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK)
		r = tm_parse_number(port, 1, UINT16_MAX, &number);
	if (r == 0)
		r = network_allow_port(network, (uint16_t)number);
	curl_free(port);
	curl_url_cleanup(url);
	return r;
}

curl_socket_t network_open_socket(void *network, curlsocktype purpose,
				  struct curl_sockaddr *address)
{
	const struct network *allowed = network;
	struct sockaddr_in v4 = {0}; /* that of IPv6 has the port in the same place */
	int fd = -1;

	(void)purpose;
	memcpy(&v4, &address->addr, address->addrlen < sizeof(v4) ? address->addrlen : sizeof(v4));
	for (size_t i = 0; fd < 0 && i < allowed->port_count; i++)
		if (allowed->ports[i] == ntohs(v4.sin_port))
			fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
				    address->protocol);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

int network_prepare(struct network *network)
{
	int r;

	if (__nss_configure_lookup("hosts", "files dns") < 0)
		return -errno;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return -ENOMEM;
	network->multi = curl_multi_init();
	if (!network->multi)
		return -ENOMEM;
	r = read_certificates(network);
	return r < 0 ? r : network_allow_port(network, PORT_DNS);
}

static struct network_file file_at(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return (struct network_file){0};
	return (struct network_file){status.st_dev, status.st_ino};
}

const char *network_stale_file(const struct network *network)
{
	for (size_t i = 0; network->restricted && i < NETWORK_FILES; i++) {
		const struct network_file file = file_at(network_paths[i]);

		if (file.inode != network->files[i].inode ||
		    file.device != network->files[i].device)
			return network_paths[i];
	}
	return NULL;
}

bool network_explain(const struct network *network, CURLcode code, char *text, size_t bytes)
{
	const char *file = code == CURLE_COULDNT_RESOLVE_HOST ? network_stale_file(network) : NULL;

	if (!file)
		return false;
	(void)snprintf(text, bytes,
		       "its name cannot be looked up; %s was replaced after the start, and cannot "
		       "be read before the next one",
		       file);
	return true;
}

/* A sanitizer reads files of /proc. Kernels without Landlock have the account and the filter. */
int network_restrict(struct network *network)
{
	const struct tm_landlock_allowed allowed = {
		.paths = network_paths,
		.ports = network->ports,
		.port_count = network->port_count,
	};
	int r;

	if (TM_SANITIZED)
		return 0;
	/* First: one that is replaced meanwhile counts as stale. */
	for (size_t i = 0; i < NETWORK_FILES; i++)
		network->files[i] = file_at(network_paths[i]);
	r = tm_landlock_enter(&allowed);
	network->restricted = r == 0;
	return r < 0 ? r : 0;
}

void network_deinit(struct network *network)
{
	(void)curl_multi_cleanup(network->multi);
	curl_global_cleanup();
	free(network->certificates);
	*network = NETWORK_NULL;
}
