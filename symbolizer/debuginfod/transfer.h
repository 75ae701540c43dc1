/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * transfer - one download from one server into a memfd, within limits
 *
 * Protocols  http and https. A redirect may lead to https, and from http to http too, on ports 80
 *            and 443 and those of the servers; nowhere else, and at most TRANSFER_REDIRECTS_MAX
 *            times. A certificate must be valid for its host.
 * Not used   proxies (neither the environment nor a file names one), .netrc, cookies, credentials
 *            in a URL, content encodings, HTTP/2: the answer is written as it comes.
 * Limits     bytes of the answer, of its headers and of all answers under way; a time to connect, a
 *            time without data, a time for all of it.
 * Owner      struct transfer owns handle and memfd until transfer_deinit, which may be repeated.
 */

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/debuginfod/debuginfod.h"
#include "symbolizer/debuginfod/options.h"
#include "symbolizer/network/network.h"

#define TRANSFER_REDIRECTS_MAX   5
#define TRANSFER_CONNECT_SECONDS 10
#define TRANSFER_BYTES_PER_S_MIN 100         /* over the time without data */
#define TRANSFER_HEADERS_MAX     (64u << 10) /* bytes of them, all redirects included */

struct transfer {
	CURL *handle; /* NULL: none is under way */
	CURLM *multi; /* borrowed: where the handle is */
	int memfd;    /* -1: none */
	uint64_t bytes;
	uint64_t limit;        /* of `bytes`, */
	uint64_t *held;        /* and of this: the bytes of all transfers under way; borrowed */
	uint64_t header_bytes; /* received so far */
	bool too_large;
	char error[CURL_ERROR_SIZE];
};
#define TRANSFER_NULL ((struct transfer){.memfd = -1})

struct transfer_request {
	const struct options *options;
	const struct network *network;
	const char *server;   /* its URL */
	const char *build_id; /* hexadecimal */
	int64_t timeout_ms;
	uint64_t *held;
	void *context; /* what CURLINFO_PRIVATE answers */
};

/* Return: 0, -errno (nothing is under way). */
int transfer_start(struct transfer *transfer, const struct transfer_request *request);
/* The download has ended with @code. Seals the memfd if all of it is there. @ret_unreachable:
 * whether the server could not be asked, so that it need not be asked again soon. */
enum debuginfod_status transfer_end(struct transfer *transfer, CURLcode code,
				    bool *ret_unreachable);
/* Ends it where it is, closes everything. */
void transfer_deinit(struct transfer *transfer);
