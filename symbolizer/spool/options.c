/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options - parses the arguments that the command passes: socket, folder, limits
 */

#include "symbolizer/spool/options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"

static int open_directory(const char *path, int *ret_directory)
{
	*ret_directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_directory < 0 ? -errno : 0;
}

static int parse_argument(struct options *options, char *text)
{
	const char *value;

	if ((value = tm_option_value(text, "--socket-fd")))
		return tm_option_fd(value, &options->socket);
	if ((value = tm_option_value(text, "--directory-fd")))
		return tm_option_fd(value, &options->directory);
	if ((value = tm_option_value(text, "--directory")))
		return open_directory(value, &options->directory);
	if ((value = tm_option_value(text, "--spool-bytes")))
		return tm_parse_number(value, OPTIONS_BYTES_MIN, OPTIONS_BYTES_MAX,
				       &options->max_bytes);
	if ((value = tm_option_value(text, "--spool-seconds")))
		return tm_parse_number(value, 1, OPTIONS_AGE_MAX, &options->max_age_seconds);
	if ((value = tm_option_value(text, "--report-bytes")))
		return tm_parse_number(value, 1, SPOOL_BODY_MAX, &options->report_bytes);
	if ((value = tm_option_value(text, "--segment-seconds")))
		return tm_parse_number(value, 1, OPTIONS_AGE_MAX, &options->segment_seconds);
	if (strcmp(text, "--no-io-uring") == 0) {
		options->no_io_uring = true;
		return 0;
	}
	return -EINVAL;
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.socket = -1,
		.directory = -1,
		.report_bytes = SPOOL_BODY_MAX,
		.segment_seconds = OPTIONS_SEGMENT_SECONDS,
	};
	for (int i = 1; i < argc; i++)
		if (parse_argument(options, argv[i])) {
			*ret_bad = argv[i];
			return -EINVAL;
		}
	if (options->report_bytes > options->max_bytes / 2)
		options->report_bytes = options->max_bytes / 2;
	*ret_bad = "--socket-fd, --directory, --spool-bytes and --spool-seconds are required";
	return options->socket < 0 || options->directory < 0 || !options->max_bytes ||
			       !options->max_age_seconds
		       ? -EINVAL
		       : 0;
}
