/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options - parses the arguments that the command passes: the socket and the servers
 */

#include "symbolizer/debuginfod/options.h"

#include <errno.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"

static int add_url(struct options *options, const char *url)
{
	if (options->url_count == DEBUGINFOD_SERVERS_MAX ||
	    strlen(url) >= DEBUGINFOD_URL_BYTES_MAX ||
	    (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0))
		return -EINVAL;
	options->urls[options->url_count++] = url;
	return 0;
}

static int parse_argument(struct options *options, char *text)
{
	const char *value;

	if ((value = tm_option_value(text, "--socket-fd")))
		return tm_option_fd(value, &options->socket);
	if ((value = tm_option_value(text, "--url")))
		return add_url(options, value);
	if ((value = tm_option_value(text, "--file-bytes")))
		return tm_parse_number(value, 1, DEBUGINFOD_FILE_MAX, &options->file_bytes);
	if ((value = tm_option_value(text, "--idle-seconds")))
		return tm_parse_number(value, 1, OPTIONS_IDLE_SECONDS, &options->idle_seconds);
	return -EINVAL;
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.socket = -1,
		.file_bytes = DEBUGINFOD_FILE_MAX,
		.idle_seconds = OPTIONS_IDLE_SECONDS,
	};
	for (int i = 1; i < argc; i++)
		if (parse_argument(options, argv[i])) {
			*ret_bad = argv[i];
			return -EINVAL;
		}
	*ret_bad = "--socket-fd and --url are required";
	return options->socket < 0 || !options->url_count ? -EINVAL : 0;
}
