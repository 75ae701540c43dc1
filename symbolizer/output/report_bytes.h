/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_bytes - about how many bytes of a request of OTLP each process of a report brings
 *
 * Whose      what several processes have in common, stacks, frames and names, is the first one's.
 * Exactness  the sum is .45 to 2.2 of what the requests of tests/interop take, not compressed, and
 *            1.3 of a large one (tests/bench/encode_report).
 */

#include "symbolizer/output/report.h"

/* @ret_bytes: of each process. Return: 0, -ENOMEM. */
int report_bytes_of_processes(const struct report *report, uint64_t *ret_bytes);
