/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs - each handed-over descriptor gets the report in its format
 */

#include "symbolizer/output/outputs.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"

typedef int (*write_fn)(struct output_file *sink, const struct report *report);

static const write_fn writers[OPTIONS_FORMAT_N] = {
	[OPTIONS_HTML] = html_write,
	[OPTIONS_PPROF] = pprof_write,
	[OPTIONS_FOLDED] = folded_write,
	[OPTIONS_SPEEDSCOPE] = speedscope_write,
};

int outputs_write(const struct options_output *output, const struct report *report)
{
	_cleanup_(tm_freep) struct output_file *sink = malloc(sizeof(*sink));
	int written, finished;

	if (!sink)
		return -ENOMEM;
	output_file_init(sink, output->fd);
	written = writers[output->format](sink, report);
	finished = output_file_finish(sink);
	return written < 0 ? written : finished;
}
