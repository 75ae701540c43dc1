/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status_write - the figures of the services as text, as JSON, and for Prometheus
 *
 * Source     Prometheus's text format 0.0.4; its naming rules: _total for counters, base units.
 */

#include <stdio.h>

#include "cli/status_units.h"
#include "shared/status.h"

void status_write_text(FILE *out, const struct tm_status *status, const struct status_unit *units);
void status_write_json(FILE *out, const struct tm_status *status, const struct status_unit *units);
void status_write_prometheus(FILE *out, const struct tm_status *status,
			     const struct status_unit *units);
