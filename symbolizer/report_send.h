/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_send - hands a report over to the exporter, as requests of bounded size
 */

#include <stdbool.h>

#include "symbolizer/output/exporter_client.h"
#include "symbolizer/output/report.h"

/* Counts every sample of the report as handed over or not. Return: 0; -ENOMEM: nothing was handed
 * over or counted, and a report with fewer frames may do. */
int report_send(struct exporter_client *client, const struct report *report, bool compressed);
/* Counts the whole report as lost for want of memory. */
void report_send_fail(struct exporter_client *client, const struct report *report);
