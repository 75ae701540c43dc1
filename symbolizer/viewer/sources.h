/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sources - reads the reports of the files that the command opened: segments and OTLP requests
 *
 * Trust      of the files nothing is taken for granted; what is damaged is named and passed over,
 *            and what is whole around it is read.
 * Limits     SOURCES_OTLP_MAX for a request, packed or not; a segment's are shared/segment.h.
 */

#include "shared/segment_reader.h"
#include "symbolizer/viewer/inflate.h"
#include "symbolizer/viewer/options.h"
#include "symbolizer/viewer/otlp_reader.h"

#define SOURCES_OTLP_MAX (256u << 20)

enum {
	SOURCES_E_MEMORY = 1,
};

struct sources {
	struct otlp_reader *reader;     /* borrowed */
	int control;                    /* borrowed: damage is named there */
	struct selection_window window; /* of the file that is read */
	struct bytes packed, plain;
	struct selection_window available[TM_VIEW_SIDES]; /* from 0 to 0: nothing was there */
	uint64_t damaged;
};

void sources_init(struct sources *sources, struct otlp_reader *reader, int control);
void sources_deinit(struct sources *sources);
/* Finds the segments that may end in a report that is being written. Each side's are in order. */
void sources_mark_last(struct options_input *inputs, unsigned count);
/* Reads one file. Return: 0, SOURCES_E_MEMORY. */
int sources_read(struct sources *sources, const struct options_input *input,
		 const struct selection_window *window);
