/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_part - a request that is a part of a report, in the messages to spool and exporter
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/exporter/exporter.h"
#include "symbolizer/spool/spool.h"

struct report_times { /* ns */
	uint64_t start_ktime, end_ktime;
	int64_t boottime_offset, realtime_offset; /* as in shared/segment.h */
};

struct report_part {
	struct exporter_message message; /* as exporter_client_send */
	struct report_times times;
	unsigned share; /* of the spool */
};

/* @local: nobody is there to send it to. Return: a STORE without an id. */
struct spool_message report_part_store(const struct report_part *part, bool local);
