/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options - parses the arguments of the command or the service: socket, receiver, secrets, limits
 */

#include "symbolizer/exporter/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>

#include "shared/cleanup.h"
#include "shared/option.h"
#include "shared/parse.h"

#define HTTP  "http://"
#define HTTPS "https://"

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Credentials would be visible in /proc; they belong into a header. */
static int take_url(struct options *options, const char *url)
{
	const char *host = strstr(url, "://");

	if ((!begins_with(url, HTTP) && !begins_with(url, HTTPS)) ||
	    strlen(url) >= OPTIONS_URL_BYTES_MAX)
		return -EINVAL;
	host += 3;
	if (memchr(host, '@', strcspn(host, "/?#")))
		return -EINVAL;
	options->url = url;
	return 0;
}

static int take_unix_socket(struct options *options, const char *path)
{
	if (path[0] != '/' || strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return -EINVAL;
	options->unix_socket = path;
	return 0;
}

static int parse_fd(struct options *options, char *text)
{
	const struct {
		const char *name;
		int *fd;
	} descriptors[] = {
		{"--socket-fd", &options->socket},
		{"--headers-fd", &options->headers},
		{"--certificate-fd", &options->certificate},
		{"--client-certificate-fd", &options->client_certificate},
		{"--client-key-fd", &options->client_key},
	};

	for (unsigned i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		const char *value = tm_option_value(text, descriptors[i].name);

		if (value)
			return tm_option_fd(value, descriptors[i].fd);
	}
	return -EINVAL;
}

/* Return: 0, also when there is no such file; -errno. */
static int open_credential(int folder, const char *name, int *ret_fd)
{
	*ret_fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return *ret_fd < 0 && errno != ENOENT ? -errno : 0;
}

static int open_credentials(struct options *options, const char *path)
{
	_cleanup_(tm_closep) int folder = -1;
	int r;

	if (!*path)
		return 0; /* there are none */
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	r = open_credential(folder, "tidemark_certificate", &options->certificate);
	if (r == 0)
		r = open_credential(folder, "tidemark_client-certificate",
				    &options->client_certificate);
	if (r == 0)
		r = open_credential(folder, "tidemark_client-key", &options->client_key);
	return r < 0 ? r : open_credential(folder, "tidemark_headers", &options->headers);
}

static int take_endpoint(struct options *options, const char *text)
{
	struct tm_otlp_endpoint *endpoint = &options->endpoint;

	if (tm_otlp_endpoint_parse(text, /* all_signals= */ false, endpoint) != 0)
		return -EINVAL;
	options->url = endpoint->url;
	options->unix_socket = endpoint->socket[0] ? endpoint->socket : NULL;
	return 0;
}

static int parse_service(struct options *options, char *text)
{
	const char *value;

	if ((value = tm_option_value(text, "--endpoint")))
		return take_endpoint(options, value);
	if ((value = tm_option_value(text, "--credentials")))
		return open_credentials(options, value);
	return parse_fd(options, text);
}

static int parse_argument(struct options *options, char *text)
{
	const struct {
		const char *name;
		uint64_t *number;
		uint64_t least, most;
	} numbers[] = {
		{"--timeout-ms", &options->timeout_ms, 1, OPTIONS_TIMEOUT_MS_MAX},
		{"--queue-bytes", &options->queue_bytes, 1, OPTIONS_QUEUE_MAX},
		{"--flush-seconds", &options->flush_seconds, 0, OPTIONS_FLUSH_MAX},
		{"--retry-initial-ms", &options->retry.initial_ms, 1, RETRY_MS_MAX},
		{"--retry-cap-ms", &options->retry.cap_ms, 1, RETRY_MS_MAX},
		{"--retry-give-up-ms", &options->retry.give_up_ms, 1, RETRY_MS_MAX},
		{"--retry-after-cap-ms", &options->retry.after_cap_ms, 1, RETRY_MS_MAX},
	};
	const char *value;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if ((value = tm_option_value(text, numbers[i].name)))
			return tm_parse_number(value, numbers[i].least, numbers[i].most,
					       numbers[i].number);
	if ((value = tm_option_value(text, "--url")))
		return take_url(options, value);
	if ((value = tm_option_value(text, "--unix-socket")))
		return take_unix_socket(options, value);
	return parse_service(options, text);
}

/* Return: what is missing or contradicts another option; NULL: nothing. */
static const char *problem(const struct options *options)
{
	bool secure = options->url && begins_with(options->url, HTTPS);

	if (options->socket < 0 || !options->url)
		return "--socket-fd and --url or --endpoint are required";
	if (options->unix_socket && secure)
		return "--unix-socket needs an http:// URL";
	if ((options->client_certificate < 0) != (options->client_key < 0))
		return "--client-certificate-fd and --client-key-fd need each other";
	if (!secure && (options->certificate >= 0 || options->client_certificate >= 0))
		return "certificates need an https:// URL";
	return NULL;
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.socket = -1,
		.headers = -1,
		.certificate = -1,
		.client_certificate = -1,
		.client_key = -1,
		.timeout_ms = OPTIONS_TIMEOUT_MS,
		.queue_bytes = OPTIONS_QUEUE_BYTES,
		.flush_seconds = OPTIONS_FLUSH_SECONDS,
		.retry = RETRY_TIMES_DEFAULT,
	};
	for (int i = 1; i < argc; i++)
		if (parse_argument(options, argv[i])) {
			*ret_bad = argv[i];
			return -EINVAL;
		}
	*ret_bad = problem(options);
	return *ret_bad ? -EINVAL : 0;
}
