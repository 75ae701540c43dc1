/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_threads - the report's rows of how threads spent the interval
 *
 * Limits     thread_rows.h says how many there are at most; they are charged before they are made.
 */

#include "symbolizer/output/report.h"
#include "symbolizer/profile/thread_rows.h"

/* What report_threads_make takes. */
uint64_t report_threads_need(const struct thread_rows *rows);
/*
 * Makes the rows, to be freed. @numbers: generation -> report process + 1; 0: it is not in the
 * report, and its threads are among the others. Return: NULL when memory is short.
 */
struct report_thread *report_threads_make(const struct thread_rows *rows, const uint32_t *numbers,
					  uint32_t *ret_count);
