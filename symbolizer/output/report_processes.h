/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_processes - tells the generations of one pid in a report apart
 */

#include "symbolizer/output/report.h"

/* Sets `reuse` of each. Return: 0, -ENOMEM. */
int report_processes_number(struct report_process *processes, uint32_t count);
