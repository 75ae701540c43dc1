/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - parses the arguments that the command passes: socket, folder, limits
 *
 * Shape      --socket-fd=N --directory-fd=N (of the service: --directory=PATH) --spool-bytes=N
 *            --spool-seconds=N [--report-bytes=N] [--segment-seconds=N] [--no-io-uring]
 * Limits     a report may have half of --spool-bytes, and at most --report-bytes.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/spool/spool.h"

#define OPTIONS_BYTES_MIN       (1u << 20)
#define OPTIONS_BYTES_MAX       (1ull << 40)
#define OPTIONS_AGE_MAX         (366u * 86400u) /* s */
#define OPTIONS_SEGMENT_SECONDS 900u

struct options {
	int socket;
	int directory;
	uint64_t max_bytes;       /* of all segments */
	uint64_t max_age_seconds; /* of the youngest report of a segment */
	uint64_t report_bytes;
	uint64_t segment_seconds; /* from the first report of a segment to the last */
	bool no_io_uring;
};

/* Return: 0, -EINVAL (@ret_bad: the argument that is wrong, or what is missing). */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
