/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs - writes a report to a descriptor in one of the output formats
 */

#include "symbolizer/output/outputs.h"

#include <errno.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"

typedef int (*write_fn)(struct output_file *out, const struct report *report);

static const write_fn writers[OUTPUTS_FORMAT_N] = {
	[OUTPUTS_HTML] = html_write,     [OUTPUTS_PPROF] = pprof_write,
	[OUTPUTS_FOLDED] = folded_write, [OUTPUTS_SPEEDSCOPE] = speedscope_write,
	[OUTPUTS_OTLP] = otlp_write,     [OUTPUTS_TABLE] = table_write,
};

int outputs_write(enum outputs_format format, int fd, const struct report *report)
{
	_cleanup_(tm_freep) struct output_file *out = malloc(sizeof(*out));
	int written, finished;

	if (!out)
		return -ENOMEM;
	output_file_init(out, fd);
	written = writers[format](out, report);
	finished = output_file_finish(out);
	return written < 0 ? written : finished;
}
