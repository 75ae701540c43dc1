/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * merge_report - the merged report as the writers of outputs see it
 */

#include "symbolizer/viewer/otlp_reader.h"

/*
 * Points @ret_report to what was merged, which must not grow any more.
 * Return: 0, BUDGET_E_SPENT.
 */
int merge_report_make(struct otlp_reader *reader, bool compare, struct report *ret_report,
		      struct report *ret_base);
/* Frees what that made beside the merge. */
void merge_report_deinit(struct merge *merge, struct report *report);
/* The span of the side's reports, and how much of it they cover. Return: 0, BUDGET_E_SPENT. */
int merge_report_span(const struct merge *merge, unsigned side, uint64_t *ret_start_unix_ns,
		      uint64_t *ret_end_unix_ns, uint64_t *ret_covered_ns);
