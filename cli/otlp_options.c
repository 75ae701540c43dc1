/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_options - the options of `tidemark record` about sending profiles by OTLP */

#include "cli/otlp_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/problem.h"
#include "shared/parse.h"

#define VARIABLE_BYTES 80
#define ENDPOINT_FORM                                                                       \
	"an http:// or https:// URL, or unix:// and the path of a socket, of at most 1000 " \
	"characters is needed"

static int set_endpoint(struct otlp_options *options, const char *name, const char *value,
			bool all_signals, char *ret_problem)
{
	if (tm_otlp_endpoint_parse(value, all_signals, &options->endpoint) != 0)
		return problem_write(ret_problem, "%s %s: " ENDPOINT_FORM, name, value);
	options->on = true;
	return 0;
}

static int add_header(struct otlp_options *options, const char *value, char *ret_problem)
{
	/* token of RFC 9110, section 5.6.2 */
	static const char token[] = "!#$%&'*+-.^_`|~0123456789"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	size_t name = strspn(value, token);

	if (name == 0 || value[name] != '=' || strpbrk(value, "\r\n"))
		return problem_write(ret_problem,
				     "--otlp-header: NAME=VALUE of one line is needed");
	if (options->header_count == OTLP_HEADERS_MAX)
		return problem_write(ret_problem, "--otlp-header is given more than %u times",
				     OTLP_HEADERS_MAX);
	options->headers[options->header_count++] = value;
	return 0;
}

static int set_timeout(struct otlp_options *options, const char *name, const char *value,
		       char *ret_problem)
{
	uint64_t ms;

	if (tm_parse_number(value, 1, OTLP_TIMEOUT_MS_MAX, &ms) < 0)
		return problem_write(ret_problem,
				     "%s %s: a number of milliseconds from 1 to %u is needed", name,
				     value, OTLP_TIMEOUT_MS_MAX);
	options->timeout_ms = (unsigned)ms;
	return 0;
}

int otlp_options_set(struct otlp_options *options, enum otlp_option option, const char *value,
		     char *ret_problem)
{
	switch (option) {
	case OTLP_OPTION_ENDPOINT:
		options->asked = true;
		return set_endpoint(options, "--otlp-endpoint", value, false, ret_problem);
	case OTLP_OPTION_HEADER:
		options->given = "--otlp-header";
		return add_header(options, value, ret_problem);
	case OTLP_OPTION_CERTIFICATE:
		options->given = options->given_tls = "--otlp-certificate";
		options->certificate = value;
		return 0;
	case OTLP_OPTION_CLIENT_CERTIFICATE:
		options->given = options->given_tls = "--otlp-client-certificate";
		options->client_certificate = value;
		return 0;
	case OTLP_OPTION_CLIENT_KEY:
		options->given = options->given_tls = "--otlp-client-key";
		options->client_key = value;
		return 0;
	case OTLP_OPTION_TIMEOUT:
		options->given = "--otlp-timeout";
		return set_timeout(options, "--otlp-timeout", value, ret_problem);
	case OTLP_OPTION_NONE:
		options->off = true;
		return 0;
	}
	return resource_options_set(&options->resource, (enum resource_option)option, value,
				    ret_problem);
}

/* The variable for profiles, else the one for all signals; an empty one counts as not set. Return:
 * its value, or NULL. */
static const char *variable(const char *what, char ret_name[VARIABLE_BYTES], bool *ret_all_signals)
{
	static const char *const signals[] = {"PROFILES_", ""};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		const char *value;

		(void)snprintf(ret_name, VARIABLE_BYTES, "OTEL_EXPORTER_OTLP_%s%s", signals[i],
			       what);
		value = getenv(ret_name);
		*ret_all_signals = i > 0;
		if (value && value[0] != '\0')
			return value;
	}
	return NULL;
}

static const char *or_variable(const char *given, const char *what)
{
	char name[VARIABLE_BYTES];
	bool all_signals;

	return given ? given : variable(what, name, &all_signals);
}

static bool is_on_this_host(const struct tm_otlp_endpoint *endpoint)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
	const char *host = strstr(endpoint->url, "://") + 3;
	size_t bytes = strcspn(host, ":/?"), i;

	if (host[0] == '[')
		bytes = strcspn(host, "]") + 1;
	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		if (strlen(hosts[i]) == bytes && strncasecmp(host, hosts[i], bytes) == 0)
			return true;
	return false;
}

static int set_compression(struct otlp_options *options, char *ret_problem)
{
	char name[VARIABLE_BYTES];
	bool all_signals;
	const char *value = variable("COMPRESSION", name, &all_signals);

	if (value && strcmp(value, "gzip") != 0 && strcmp(value, "none") != 0)
		return problem_write(ret_problem, "%s is %s: gzip or none is needed", name, value);
	options->uncompressed = value && strcmp(value, "none") == 0;
	options->local = !value && is_on_this_host(&options->endpoint);
	return 0;
}

static bool is_secure(const struct otlp_options *options)
{
	static const char scheme[] = "https://";

	return strncmp(options->endpoint.url, scheme, sizeof(scheme) - 1) == 0;
}

/* The variables are for whatever endpoints a user has: they say nothing about one without TLS. */
static void take_certificates(struct otlp_options *options)
{
	if (!is_secure(options))
		return;
	options->certificate = or_variable(options->certificate, "CERTIFICATE");
	options->client_certificate =
		or_variable(options->client_certificate, "CLIENT_CERTIFICATE");
	options->client_key = or_variable(options->client_key, "CLIENT_KEY");
}

static int take_environment(struct otlp_options *options, char *ret_problem)
{
	char name[VARIABLE_BYTES];
	bool all_signals;
	const char *value = variable("ENDPOINT", name, &all_signals);
	int r = 0;

	if (!options->on && value)
		r = set_endpoint(options, name, value, all_signals, ret_problem);
	if (r != 0 || !options->on)
		return r;
	value = variable("TIMEOUT", name, &all_signals);
	if (options->timeout_ms == 0 && value)
		r = set_timeout(options, name, value, ret_problem);
	if (r == 0)
		r = set_compression(options, ret_problem);
	take_certificates(options);
	if (options->header_count == 0)
		options->header_list = or_variable(NULL, "HEADERS");
	return r;
}

static void erase(const char *text)
{
	if (text)
		explicit_bzero((char *)(uintptr_t)text, strlen(text));
}

void otlp_options_erase_headers(struct otlp_options *options)
{
	for (size_t i = 0; i < options->header_count; i++)
		erase(strchr(options->headers[i], '=') + 1);
	options->header_count = 0;
	options->header_list = NULL;
	erase(getenv("OTEL_EXPORTER_OTLP_PROFILES_HEADERS"));
	erase(getenv("OTEL_EXPORTER_OTLP_HEADERS"));
}

int otlp_options_finish(struct otlp_options *options, char *ret_problem)
{
	int r;

	if (options->off && options->on)
		return problem_write(ret_problem,
				     "--otlp-endpoint and --no-otlp cannot be combined");
	if (!options->off)
		resource_options_take_environment(&options->resource);
	r = options->off ? 0 : take_environment(options, ret_problem);
	if (r != 0)
		return r;
	if (options->given && !options->on)
		return problem_write(ret_problem, "%s has no meaning without --otlp-endpoint",
				     options->given);
	if (options->given_tls && !is_secure(options))
		return problem_write(ret_problem, "%s needs an https:// endpoint",
				     options->given_tls);
	if (options->on && !options->client_certificate != !options->client_key)
		return problem_write(ret_problem, "--otlp-client-certificate and "
						  "--otlp-client-key are needed together");
	if (options->timeout_ms == 0)
		options->timeout_ms = OTLP_TIMEOUT_MS;
	return 0;
}
