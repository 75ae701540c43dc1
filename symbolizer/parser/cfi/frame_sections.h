/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * frame_sections - finds a file's .eh_frame and .debug_frame and lists their FDEs
 */

#include "symbolizer/parser/cfi/fde_list.h"

struct frame_sections {
	struct section eh_frame, debug_frame;
	struct cie_list cies;
	void *decompressed; /* owned; the bytes of debug_frame, if they were compressed */
};

/* Each adds what its section describes. A section that is too large or malformed is skipped, and
 * `truncated` is set. Return: 0, PARSER_FAILED (reading, memory). */
int frame_sections_add_eh_frame(struct frame_sections *frames, const struct sections *sections,
				struct code_ranges *ranges);
int frame_sections_add_debug_frame(struct frame_sections *frames, const struct sections *sections,
				   struct code_ranges *ranges);
void frame_sections_free(struct frame_sections *frames);
