/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * options - the arguments that the command passes: inputs, outputs, windows, who is shown
 *
 * Forms      --control-fd=N --title=TEXT --memory-bytes=N --output=FORMAT:N ...
 *            --segment=NAME:N ... --otlp=NAME:N ... of what is shown, each with --base- in front
 *            of what that is compared with; --window=FROM:TO and --base-window=FROM:TO in Unix ns;
 *            --comm=TEXT --pid=N --container=TEXT --unit=TEXT, each several times.
 */

#include "shared/view_result.h"
#include "symbolizer/output/outputs.h"
#include "symbolizer/viewer/selection.h"

#define OPTIONS_INPUTS_MAX  4096u
#define OPTIONS_OUTPUTS_MAX 16u

struct options_input {
	const char *name;
	int fd;
	uint8_t side;
	bool is_segment; /* of a spool; else one OTLP request, or its gzip */
	bool is_last;    /* of its side and share: it may be written to (sources_mark_last) */
};

struct options {
	int control_fd;
	const char *title;
	uint64_t memory_bytes;
	bool compare;
	struct selection selection;
	struct selection_window windows[TM_VIEW_SIDES];
	unsigned input_count, output_count;
	struct {
		enum outputs_format format;
		int fd;
	} outputs[OPTIONS_OUTPUTS_MAX];
	struct options_input inputs[OPTIONS_INPUTS_MAX];
};

/* Return: 0, -EINVAL and the argument in *ret_bad. */
int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad);
