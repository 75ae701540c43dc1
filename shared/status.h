/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status - what the services say of themselves to whoever may ask: `tidemark status`
 *
 * Shape      one struct tm_status in one packet of the SEQPACKET socket TM_STATUS_SOCKET, sent to
 *            everybody who connects; then the connection is closed. Counters only grow, over all
 *            reports since the symbolizer was started; of the collector, since that was.
 * Trust      the reader takes the symbolizer for hostile: size, magic and version are checked, and
 *            numbers are printed as they are.
 * Writer     the symbolizer.
 */

#include <stdint.h>

#include "shared/result.h"

#define TM_STATUS_SOCKET  "/run/tidemark/status.sock"
#define TM_STATUS_MAGIC   0x3153544154534d54ull /* "TMSTATS1" */
#define TM_STATUS_VERSION 6

struct tm_status {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes; /* of this struct */
	uint64_t hz;
	uint64_t interval_ms;
	uint64_t cpu_max_ppm;     /* of the time of all CPUs; 0: no limit */
	uint64_t reloads;         /* messages of `tidemark reload` that were taken, */
	uint64_t reloads_refused; /* and not */
	uint64_t now;             /* ktime, as the next ones */
	uint64_t started;         /* the symbolizer attached to the collector */
	uint64_t watermark;       /* W, as last read */
	uint64_t reported;        /* the last report was made; 0: none yet */
	uint64_t reports;
	uint64_t report_ns;      /* that the last one took, from the end of its interval */
	uint64_t ring_bytes;     /* of the shared ring, */
	uint64_t ring_most;      /* and the most that waited in it */
	struct tm_counts counts; /* of the collector, since its start; `lags`: of lately */
	struct tm_result result; /* sums of all reports; memory and export: now */
};
