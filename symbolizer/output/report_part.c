/* SPDX-License-Identifier: Apache-2.0 */
/* report_part - a request that is a part of a report, in the messages to spool and exporter */

#include "symbolizer/output/report_part.h"

struct spool_message report_part_store(const struct report_part *part, bool local)
{
	const struct exporter_message *message = &part->message;
	const struct report_times *times = &part->times;

	return (struct spool_message){
		.kind = SPOOL_STORE,
		.flags = (message->flags & EXPORTER_GZIP ? SPOOL_GZIP : 0) |
			 (local ? SPOOL_LOCAL : 0) | part->share << SPOOL_SHARE_SHIFT,
		.body_bytes = message->body_bytes,
		.uncompressed_bytes = message->uncompressed_bytes,
		.samples = message->samples,
		.start_ktime = times->start_ktime,
		.end_ktime = times->end_ktime,
		.boottime_offset = times->boottime_offset,
		.realtime_offset = times->realtime_offset,
	};
}
