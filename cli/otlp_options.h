/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_options - the options of `tidemark record` about sending profiles by OTLP
 *
 * Order      an option, else the variable of the environment for profiles, else the one for all
 *            signals (OTEL_EXPORTER_OTLP_PROFILES_X, OTEL_EXPORTER_OTLP_X).
 * Owns       nothing: every string points into argv or the environment, which must be writable.
 * Errors     PROBLEM_E_USAGE (the sentence is in the problem).
 * Source     OpenTelemetry specification, "OpenTelemetry Protocol Exporter".
 */

#include <stdbool.h>
#include <stddef.h>

#include "cli/resource_options.h"
#include "shared/otlp_endpoint.h"

#define OTLP_HEADERS_MAX    32u
#define OTLP_TIMEOUT_MS     10000u
#define OTLP_TIMEOUT_MS_MAX 600000u

struct otlp_options {
	bool on;    /* there is an endpoint, */
	bool asked; /* by an option */
	bool off;   /* --no-otlp: whatever the environment says */
	struct tm_otlp_endpoint endpoint;
	const char *headers[OTLP_HEADERS_MAX]; /* NAME=VALUE */
	size_t header_count;
	const char *header_list; /* of the environment: NAME=VALUE,..., percent-encoded; or NULL */
	const char *certificate; /* paths, or NULL: authorities that are trusted, */
	const char *client_certificate;
	const char *client_key;
	bool uncompressed;                /* COMPRESSION says it */
	bool local;                       /* it says nothing, and the receiver is on this host */
	struct resource_options resource; /* of files, too: they need no endpoint */
	unsigned timeout_ms;              /* of a request; 0: not given */
	const char *given;                /* an option that needs an endpoint; NULL: none */
	const char *given_tls;            /* one that needs an https:// endpoint; NULL: none */
};

/* What getopt_long returns for them; no character. */
enum otlp_option {
	OTLP_OPTION_ENDPOINT = 0x200,
	OTLP_OPTION_HEADER,
	OTLP_OPTION_CERTIFICATE,
	OTLP_OPTION_CLIENT_CERTIFICATE,
	OTLP_OPTION_CLIENT_KEY,
	OTLP_OPTION_TIMEOUT,
	OTLP_OPTION_NONE,
};

/* @option: or an enum resource_option. @value: NULL if the option takes none. Return: 0,
 * PROBLEM_E_USAGE. */
int otlp_options_set(struct otlp_options *options, enum otlp_option option, const char *value,
		     char *ret_problem);
/* Takes what is not given from the environment, and checks all together. Return: 0,
 * PROBLEM_E_USAGE. */
int otlp_options_finish(struct otlp_options *options, char *ret_problem);
/* Once the exporter's headers are made: erases the values of all that were given from argv and the
 * environment, where a compromised process would find them, and, of argv, anybody (ps). */
void otlp_options_erase_headers(struct otlp_options *options);
