/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_need_write - how much memory the writers of a report take at most
 */

#include "symbolizer/output/outputs.h"
#include "symbolizer/output/report.h"

/* Of one writer, or of functions_top. */
uint64_t report_need_write(const struct report *report, enum outputs_format format);
/* The part of pprof.c. */
uint64_t pprof_need(const struct report *report);
