/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp - the profile as requests of OpenTelemetry's protocol, in parts of bounded size
 *
 * Shape      ExportProfilesServiceRequest, development version 1 (opentelemetry-proto 1.10). One
 *            resource for each process, or as the grouping says (report_resource); in it a profile
 *            of samples on CPUs (samples, count) and one of times without a CPU (off_cpu,
 *            nanoseconds). A cut stack has [truncated: reason] in place of its root, as in pprof.
 * Mappings   are files whose content was read, each with its htlhash: the specification demands
 *            that a mapping says which file it is, and some receivers refuse one that does not. So
 *            what lies in no such file has mapping 0: the vDSO, anonymous code, the kernel, whose
 *            functions receivers know by their names and profile.frame.type, and files that could
 *            not be read. Their path, or [vdso], [kernel] or the module's name in brackets, is an
 *            attribute of the location (tidemark.frame.file).
 * Receivers  attributes of resources are given by value and not by index, link 0 is empty, and a
 *            sample has exactly one value and no time stamps: some refuse anything else.
 */

#include <stdbool.h>

#include "symbolizer/output/otlp_services.h"

#define OTLP_PART_BYTES (8u << 20) /* of a request, where several samples would need more */

enum {
	OTLP_E_END = 1, /* there is no further part */
};

struct otlp_message;

struct otlp_parts {
	const struct report *report;
	struct otlp_services services;
	const uint8_t *shares; /* borrowed, of each process: a part is of one; NULL: all are 0 */
	uint32_t *order;       /* owned: samples by share, resource and kind */
	uint32_t done;         /* of them, in the parts so far */
	uint32_t count;        /* of them, in the last part; 0: it was the last of its share */
	struct otlp_message *message; /* owned: of the last part */
	uint64_t bytes;               /* of the last part, not compressed */
	uint64_t samples;             /* likewise, counted as the report does */
	unsigned share;               /* likewise */
};
#define OTLP_PARTS_NULL ((struct otlp_parts){.report = NULL})

/* @shares: of each process, or NULL. Return: 0, -ENOMEM. */
int otlp_parts_init(struct otlp_parts *parts, const struct report *report, const uint8_t *shares);
void otlp_parts_deinit(struct otlp_parts *parts);
/* Makes the next part, of at most @most bytes unless it is of one sample. Return: 0, OTLP_E_END,
 * -ENOMEM, -errno. */
int otlp_parts_next(struct otlp_parts *parts, uint64_t most);
/* Writes the last part to @out, which the caller finishes. Return: 0, -errno. */
int otlp_parts_write(const struct otlp_parts *parts, struct output_file *out, bool compressed);
