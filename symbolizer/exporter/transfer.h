/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * transfer - sends one body at a time in a POST request, within limits
 *
 * Protocols  http and https, HTTP/1.1, over TCP or a unix socket. No redirect is followed. TLS is
 *            1.2 or later, and a certificate must be valid for its host.
 * Not used   proxies (neither the environment nor a file names one), .netrc, cookies, credentials
 *            in a URL, content encodings of answers: a compressed answer is not unpacked.
 * Limits     a time for all of it, TRANSFER_ANSWER_MAX bytes of the answer, TRANSFER_HEADERS_MAX of
 *            its headers.
 * Owner      struct transfer owns handle, headers and answer until transfer_deinit. One handle
 *            serves all requests, so the connection stays open between them.
 */

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/exporter/options.h"
#include "symbolizer/exporter/queue.h"
#include "symbolizer/exporter/response.h"
#include "symbolizer/exporter/secrets.h"
#include "symbolizer/network/network.h"

#define TRANSFER_ANSWER_MAX        (4u << 20)  /* bytes; OTLP limits what a client reads */
#define TRANSFER_HEADERS_MAX       (64u << 10) /* bytes */
#define TRANSFER_RETRY_AFTER_BYTES 64u         /* the NUL included; a longer value is ignored */

enum transfer_result {
	TRANSFER_ANSWERED,   /* with a status and all headers; its body may be cut */
	TRANSFER_UNANSWERED, /* no connection, or it ended or took too long before the answer */
	TRANSFER_UNTRUSTED,
	TRANSFER_INVALID, /* the answer is no HTTP; or libcurl refuses the request */
};

struct transfer {
	const struct options *options; /* borrowed, as the next two */
	struct network *network;
	struct curl_slist *headers[2]; /* owned; [1] with gzip */
	CURL *handle;                  /* owned */
	bool busy;                     /* the handle is in the multi */
	bool answered;                 /* all headers of the answer were received */
	bool too_large;                /* the answer was */
	size_t header_bytes;
	char retry_after[TRANSFER_RETRY_AFTER_BYTES]; /* "": none */
	uint8_t *answer;                              /* owned; the bytes of its body */
	size_t answer_bytes, answer_capacity;
	char error[CURL_ERROR_SIZE];
};
#define TRANSFER_NULL ((struct transfer){.handle = NULL})

/* @secrets: stay where they are until transfer_deinit. Return: 0; -EINVAL: invalid headers;
 * -ENOTSUP: libcurl refuses an option; -ENOMEM. */
int transfer_init(struct transfer *transfer, const struct options *options, struct network *network,
		  const struct secrets *secrets);
/* @body: its bytes stay where they are until the end. Return: 0, -ENOMEM, -ENOTSUP. */
int transfer_start(struct transfer *transfer, const struct body *body);
/* The request has ended with @code. @ret_status: of HTTP, 0 unless TRANSFER_ANSWERED.
 * @ret_response: what the answer says, or what went wrong. */
enum transfer_result transfer_end(struct transfer *transfer, CURLcode code, long *ret_status,
				  struct response *ret_response);
/* Ends a request where it is. */
void transfer_abort(struct transfer *transfer);
void transfer_deinit(struct transfer *transfer);
