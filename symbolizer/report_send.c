/* SPDX-License-Identifier: Apache-2.0 */
/* report_send - hands a report over to spool and exporter, as requests of bounded size */

#include "symbolizer/report_send.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/output_file.h"

static uint64_t count_samples(const struct report *report)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < report->sample_count; i++)
		samples += report->samples[i].count;
	return samples;
}

/* Return: the body of the last part, -errno. */
static int write_body(const struct otlp_parts *parts, bool compressed)
{
	_cleanup_(tm_freep) struct output_file *out = malloc(sizeof(*out));
	_cleanup_(tm_closep) int body = exporter_client_body();
	int written, finished;

	if (!out)
		return -ENOMEM;
	if (body < 0)
		return body;
	output_file_init(out, body);
	written = otlp_parts_write(parts, out, compressed);
	finished = output_file_finish(out);
	if (written < 0 || finished < 0)
		return written < 0 ? written : finished;
	return TM_TAKE_FD(body);
}

static int send_part(struct report_delivery *delivery, const struct otlp_parts *parts,
		     const struct report_times *times, bool compressed)
{
	const struct report_part part = {
		.message =
			{
				.flags = compressed ? EXPORTER_GZIP : 0,
				.uncompressed_bytes = parts->bytes,
				.samples = parts->samples,
			},
		.times = *times,
		.share = parts->share,
	};
	_cleanup_(tm_closep) int body = write_body(parts, compressed);

	if (body < 0)
		return body;
	report_delivery_send(delivery, body, &part);
	return 0;
}

int report_send(struct report_delivery *delivery, const struct report *report,
		const struct report_times *times, bool compressed)
{
	_cleanup_(otlp_parts_deinit) struct otlp_parts parts = OTLP_PARTS_NULL;
	_cleanup_(tm_freep) uint8_t *shares = NULL;
	uint64_t left = count_samples(report), all = left;
	int r = 0;

	if (delivery->has_spool)
		r = report_shares_give(&delivery->shares, report, times->end_ktime, &shares);
	if (r == 0)
		r = otlp_parts_init(&parts, report, shares);
	while (r == 0) {
		r = otlp_parts_next(&parts, OTLP_PART_BYTES);
		if (r == 0)
			r = send_part(delivery, &parts, times, compressed);
		if (r == 0)
			left -= parts.samples;
	}
	if (r == -ENOMEM && left == all)
		return -ENOMEM;
	if (r < 0)
		report_delivery_fail(delivery, TM_EXPORT_MEMORY, left);
	return 0;
}

void report_send_fail(struct report_delivery *delivery, const struct report *report)
{
	report_delivery_fail(delivery, TM_EXPORT_MEMORY, count_samples(report));
}
