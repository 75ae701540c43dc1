/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the arguments that the command passes: the socket and the servers
 *
 * Shape      --socket-fd=N --url=URL ... [--file-bytes=N] [--idle-seconds=N]. The last two are for
 *            tests, which would wait too long for the limits themselves.
 * Owns       nothing: every string points into argv.
 */

#include <stdint.h>

#include "symbolizer/debuginfod/debuginfod.h"

#define OPTIONS_IDLE_SECONDS 30u /* that a server may take without sending anything */

struct options {
	int socket;
	const char *urls[DEBUGINFOD_SERVERS_MAX]; /* http:// or https:// */
	unsigned url_count;
	uint64_t file_bytes; /* DEBUGINFOD_FILE_MAX by default */
	uint64_t idle_seconds;
};

/* Return: 0, -EINVAL (@ret_bad: the argument that is wrong, or what is missing). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
