/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * outputs - each handed-over descriptor gets the report in its format
 */

#include "symbolizer/options.h"
#include "symbolizer/output/report.h"

/* One file. Return: 0, -errno. */
int outputs_write(const struct options_output *output, const struct report *report);
