/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_send - hands a report over to spool and exporter, as requests of bounded size
 */

#include <stdbool.h>

#include "symbolizer/output/report.h"
#include "symbolizer/output/report_delivery.h"

/* Counts every sample of the report as handed over or not. Return: 0; -ENOMEM: nothing was handed
 * over or counted, and a report with fewer frames may do. */
int report_send(struct report_delivery *delivery, const struct report *report,
		const struct report_times *times, bool compressed);
/* Counts the whole report as lost for want of memory. */
void report_send_fail(struct report_delivery *delivery, const struct report *report);
