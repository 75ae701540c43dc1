/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status_figures - each figure of the services once: its name, meaning and value
 *
 * JSON and Prometheus write the same list, so neither can lack what the other has.
 */

#include <stdbool.h>
#include <stdint.h>

#include "cli/status_units.h"
#include "shared/status.h"

#define STATUS_FIGURES_MAX 192

struct status_figure {
	const char *name;  /* without prefix and suffix */
	const char *help;  /* one sentence */
	const char *label; /* name of the label; NULL: none */
	const char *value; /* of the label */
	bool counter;      /* only grows; else a gauge */
	double number;     /* in base units: seconds, bytes, counts */
};

/* Figures of one name stand together. Return: how many. */
unsigned status_figures_make(const struct tm_status *status, const struct status_unit *units,
			     struct status_figure ret_figures[STATUS_FIGURES_MAX]);
