/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * resource_options - the options of `tidemark record` about what OTLP profiles say of host, service
 * and deployment
 *
 * Shape      a label is "KEY=VALUE", clean UTF-8; no two have one key, and none the key of
 *            something that tidemark itself finds out for each process.
 * Order      --service-name, else OTEL_SERVICE_NAME, else service.name of OTEL_RESOURCE_ATTRIBUTES;
 *            --label before OTEL_RESOURCE_ATTRIBUTES. They are the variables of tidemark's own
 *            environment, never of a program that is sampled.
 * Limits     RESOURCE_LABELS_MAX, RESOURCE_LABEL_BYTES, RESOURCE_TEXT_BYTES. A variable that breaks
 *            one, or makes no sense, is left out as a whole, as OpenTelemetry says (`refused`).
 * Owner      strings of options point into argv, those of the variables into `text`; so the struct
 *            must stay where it is.
 * Source     OpenTelemetry specification, "Resource SDK", "Specifying resource information via an
 *            environment variable"; W3C Baggage, for the percent-encoding.
 */

#include <stdbool.h>
#include <stddef.h>

#define RESOURCE_LABELS_MAX  64u
#define RESOURCE_LABEL_BYTES 1024u /* of "KEY=VALUE", the NUL included */
#define RESOURCE_TEXT_BYTES  2048u /* of OTEL_RESOURCE_ATTRIBUTES, decoded */

struct resource_options {
	const char *service_name; /* NULL: each service has its own */
	const char *grouping;     /* process, container or service; NULL: process */
	const char *labels[RESOURCE_LABELS_MAX];
	size_t label_count;
	const char *refused; /* a variable that was left out; NULL: none */
	char text[RESOURCE_TEXT_BYTES];
};

/* What getopt_long returns for them; no character. */
enum resource_option {
	RESOURCE_OPTION_SERVICE = 0x300,
	RESOURCE_OPTION_LABEL,
	RESOURCE_OPTION_GROUPING,
};

/* Return: 0, PROBLEM_E_USAGE. */
int resource_options_set(struct resource_options *options, enum resource_option option,
			 const char *value, char *ret_problem);
/* Takes what is not given from the environment. */
void resource_options_take_environment(struct resource_options *options);
/* Whether there is a label with this key. */
bool resource_options_have(const struct resource_options *options, const char *key);
