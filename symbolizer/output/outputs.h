/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * outputs - writes a report to a descriptor in one of the output formats
 */

#include "symbolizer/output/report.h"

enum outputs_format {
	OUTPUTS_HTML,
	OUTPUTS_PPROF,
	OUTPUTS_FOLDED,
	OUTPUTS_SPEEDSCOPE,
	OUTPUTS_OTLP,
	OUTPUTS_TABLE, /* shared/view_table.h */
	OUTPUTS_FORMAT_N,
};

/* Writes one file. Return: 0, -errno. */
int outputs_write(enum outputs_format format, int fd, const struct report *report);
