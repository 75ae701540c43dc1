/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs - each handed-over descriptor gets the report in its format
 */

#include "symbolizer/output/outputs.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"

typedef int (*write_fn)(struct sink *sink, const struct report *report);

static const write_fn writers[OPTIONS_FORMAT_N] = {
	[OPTIONS_HTML] = page_write,
	[OPTIONS_PPROF] = pprof_write,
	[OPTIONS_FOLDED] = folded_write,
	[OPTIONS_SPEEDSCOPE] = speedscope_write,
};

int outputs_write(const struct options_output *output, const struct report *report)
{
	_cleanup_(tm_freep) struct sink *sink = malloc(sizeof(*sink));
	int written, finished;

	if (!sink)
		return -ENOMEM;
	sink_init(sink, output->fd);
	written = writers[output->format](sink, report);
	finished = sink_finish(sink);
	return written < 0 ? written : finished;
}
