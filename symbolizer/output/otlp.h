/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp - the profile as requests of OpenTelemetry's protocol, in parts of bounded size
 *
 * Shape      ExportProfilesServiceRequest, development version 1 (opentelemetry-proto 1.10). One
 *            resource for each process; in it a profile of samples on CPUs (samples, count) and one
 *            of times without a CPU (off_cpu, nanoseconds). A cut stack has [truncated: reason] in
 *            place of its root, as in pprof.
 * Receivers  attributes of resources are given by value and not by index, link 0 is empty, and a
 *            sample has exactly one value and no time stamps: some refuse anything else.
 */

#include <stdbool.h>

#include "symbolizer/output/report.h"

#define OTLP_PART_BYTES (8u << 20) /* of a request, where several samples would need more */

enum {
	OTLP_E_END = 1, /* there is no further part */
};

struct otlp_message;

struct otlp_parts {
	const struct report *report;
	uint32_t *order;              /* owned: samples by process and kind */
	uint32_t done;                /* of them, in the parts so far */
	uint32_t count;               /* of them, in the last part */
	struct otlp_message *message; /* owned: of the last part */
	uint64_t bytes;               /* of the last part, not compressed */
	uint64_t samples;             /* likewise, counted as the report does */
};
#define OTLP_PARTS_NULL ((struct otlp_parts){.report = NULL})

/* Return: 0, -ENOMEM. */
int otlp_parts_init(struct otlp_parts *parts, const struct report *report);
void otlp_parts_deinit(struct otlp_parts *parts);
/* Makes the next part, of at most @most bytes unless it is of one sample. Return: 0, OTLP_E_END,
 * -ENOMEM, -errno. */
int otlp_parts_next(struct otlp_parts *parts, uint64_t most);
/* Writes the last part to @out, which the caller finishes. Return: 0, -errno. */
int otlp_parts_write(const struct otlp_parts *parts, struct output_file *out, bool compressed);
