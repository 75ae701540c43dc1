/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_endpoint - the URL that profiles are sent to, or the unix socket, from what a user wrote
 *
 * Shape      http:// or https://, a host and printable characters without a blank; or unix:// and
 *            the absolute path of a socket, to which the same request goes without TLS.
 * Path       TM_OTLP_ENDPOINT_PATH is appended to the endpoint of all signals, and where a URL has
 *            no path of its own.
 * Source     OpenTelemetry specification, "OpenTelemetry Protocol Exporter", endpoint URLs for
 *            OTLP/HTTP; the path: docs/specification.md of opentelemetry-proto.
 */

#include <stdbool.h>
#include <stddef.h>

#define TM_OTLP_ENDPOINT_PATH         "/v1development/profiles"
#define TM_OTLP_ENDPOINT_BYTES        1024u /* of a URL, the NUL included */
#define TM_OTLP_ENDPOINT_SOCKET_BYTES 108u  /* sun_path of unix(7), the NUL included */

enum {
	TM_OTLP_ENDPOINT_E_FORM = 1,
};

struct tm_otlp_endpoint {
	char url[TM_OTLP_ENDPOINT_BYTES];
	char socket[TM_OTLP_ENDPOINT_SOCKET_BYTES]; /* "": the host of the URL is connected to */
};

/* @all_signals: the text is the endpoint of all signals. Return: 0, TM_OTLP_ENDPOINT_E_FORM. */
int tm_otlp_endpoint_parse(const char *text, bool all_signals,
			   struct tm_otlp_endpoint *ret_endpoint);
