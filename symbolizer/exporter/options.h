/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the arguments of the command or the service: socket, receiver, secrets, limits
 *
 * Shape      --socket-fd=N --url=URL [--unix-socket=PATH] [--headers-fd=N] [--certificate-fd=N]
 *            [--client-certificate-fd=N --client-key-fd=N] [--timeout-ms=N] [--queue-bytes=N]
 *            [--flush-seconds=N]; for tests, which would wait too long for the times themselves:
 *            [--retry-initial-ms=N] [--retry-cap-ms=N] [--retry-give-up-ms=N]
 *            [--retry-after-cap-ms=N].
 * Service    --endpoint=TEXT [--credentials=DIR] take the place of URL and descriptors: what
 *            shared/otlp_endpoint.h takes, and the folder in which
 *            systemd keeps what is in the administrator's: tidemark_certificate,
 *            tidemark_client-certificate, tidemark_client-key and tidemark_headers, as far as there
 *            are any (LoadCredential= of systemd.exec(5)).
 * URL        http:// or https://, used as it is, without credentials. With --unix-socket, http://:
 *            the socket, an absolute path, is connected to, and the host only named in the request.
 * Secrets    are read from descriptors: everybody can read arguments in /proc. Headers are lines
 *            "NAME: VALUE" (headers.h); certificates and key are PEM, the key not encrypted.
 *            --certificate-fd: authorities instead of the system's. All of the last three only with
 *            https://.
 * Owns       nothing: every string points into argv, or into `endpoint`.
 */

#include <stdint.h>

#include "shared/otlp_endpoint.h"
#include "symbolizer/exporter/exporter.h"
#include "symbolizer/exporter/retry.h"

#define OPTIONS_URL_BYTES_MAX  2048u /* the NUL included */
#define OPTIONS_TIMEOUT_MS     10000u
#define OPTIONS_TIMEOUT_MS_MAX 600000u
#define OPTIONS_QUEUE_BYTES    (64u << 20)
#define OPTIONS_QUEUE_MAX      (256u << 20)
#define OPTIONS_FLUSH_SECONDS  5u
#define OPTIONS_FLUSH_MAX      600u

struct options {
	int socket;
	const char *url;
	const char *unix_socket; /* NULL: none */
	int headers;             /* descriptor; -1: none; as the next three */
	int certificate;
	int client_certificate;
	int client_key;
	uint64_t timeout_ms; /* of a request, its answer included */
	uint64_t queue_bytes;
	uint64_t flush_seconds;
	struct retry_times retry;
	struct tm_otlp_endpoint endpoint; /* of the service */
};

/* Return: 0, -EINVAL (@ret_bad: the argument that is wrong, or what is missing). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
