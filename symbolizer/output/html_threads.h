/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * html_threads - the part of the page's data about how threads spent the interval
 */

#include "symbolizer/output/report.h"

/* Writes the member "thread_times", as a further one of an object. */
void html_threads_write(struct output_file *out, const struct report *report);
