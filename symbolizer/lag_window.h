/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lag_window - of lags that are counted for months, those of the last LAG_WINDOW_MS
 *
 * The window begins anew every half of that, so it has between half an hour and an hour.
 */

#include <stdint.h>

#include "shared/wire.h"

#define LAG_WINDOW_MS 3600000u

struct lag_window { /* all 0: it begins now */
	uint64_t older[TM_HISTOGRAM_BUCKETS],
		newer[TM_HISTOGRAM_BUCKETS]; /* counts of two moments */
	uint64_t turn_ms;                    /* when the newer one is taken again */
};

/* Leaves of @lags, the counts now, those of the window. To be called when it is to turn. */
void lag_window_apply(struct lag_window *window, uint64_t lags[TM_HISTOGRAM_BUCKETS],
		      uint64_t now_ms);
