/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_reader - adds the samples of an OTLP request to the merged report
 *
 * Trust      the request is a file's bytes: each index is checked, each length and count has a
 *            limit, and a request that does not check has added no sample.
 * Reports    a report may be split into several requests, which repeat its counts: they are added
 *            once. A profile that was read already, by its id, is passed over.
 * Memory     what is decoded lies in an arena of the merge's budget until the next request.
 */

#include "symbolizer/viewer/otlp_sample.h"

#define OTLP_READER_SIDES 2

struct otlp_reader_counts {
	uint64_t reports; /* of the window */
	uint64_t outside; /* profiles that are not of it */
	uint64_t again;   /* profiles that were read before */
	uint64_t foreign; /* profiles without tidemark's counts, or of no kind that it knows */
	struct sample_sum read[TM_SAMPLE_KINDS_N], selected[TM_SAMPLE_KINDS_N];
};

struct otlp_reader_interval { /* of a report */
	struct merge_interval interval;
	const char *counts; /* NULL: none; of the request */
};

struct otlp_reader {
	struct merge *merge; /* borrowed */
	struct selection_window window;
	struct otlp_samples samples; /* of the request; with the side that all belongs to */
	uint64_t period_ns;
	struct otlp_reader_counts counts[OTLP_READER_SIDES];
	struct report reports[OTLP_READER_SIDES]; /* sums of the counts; nothing else is set */
	/* Of the request, until it is whole: */
	struct otlp_reader_interval *intervals;
	struct merge_id *ids;
	uint32_t interval_count, interval_capacity, id_count, id_capacity;
};

void otlp_reader_init(struct otlp_reader *reader, struct merge *merge,
		      const struct selection *selection);
void otlp_reader_deinit(struct otlp_reader *reader);
/* Return: 0, OTLP_BODY_E_INVALID, OTLP_BODY_E_MEMORY. */
int otlp_reader_read(struct otlp_reader *reader, const uint8_t *bytes, size_t count);
