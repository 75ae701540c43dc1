/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_sample - a sample of an OTLP request with its process, thread and stack, merged
 *
 * Samples are kept here until their request is whole; only then the reader adds them up.
 */

#include "symbolizer/viewer/otlp_body.h"
#include "symbolizer/viewer/selection.h"

struct otlp_profile { /* that is being read */
	const Otlp__Profile *message;
	struct report_process process; /* what its resource says */
	uint64_t period_ns;
	uint8_t kind; /* enum tm_sample_kind */
};

struct otlp_samples {
	struct merge *merge;               /* borrowed */
	const struct selection *selection; /* borrowed */
	unsigned side;                     /* that they belong to */
	/* Of the request: */
	struct report_sample *items; /* the selected ones */
	uint32_t count, capacity;
	struct sample_sum read[TM_SAMPLE_KINDS_N];
	struct report_process last; /* that was merged, and its number */
	uint32_t last_number;
	bool has_last;
	uint32_t *frames; /* of the stack that is being read */
	uint32_t frame_capacity;
};

void otlp_samples_deinit(struct otlp_samples *samples);
/* Forgets those of the last request. */
void otlp_samples_begin(struct otlp_samples *samples);
/* What a resource says of its process. Return: 0, OTLP_BODY_E_*. */
int otlp_sample_process(struct otlp_body *body, const Otlp__Resource *resource,
			struct report_process *process);
/* Return: 0, OTLP_BODY_E_*. */
int otlp_sample_add(struct otlp_samples *samples, struct otlp_body *body,
		    const struct otlp_profile *profile, const Otlp__Sample *message);
