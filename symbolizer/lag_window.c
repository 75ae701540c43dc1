/* SPDX-License-Identifier: Apache-2.0 */
/* lag_window - of lags that are counted for months, those of the last LAG_WINDOW_MS */

#include "symbolizer/lag_window.h"

#include <string.h>

void lag_window_apply(struct lag_window *window, uint64_t lags[TM_HISTOGRAM_BUCKETS],
		      uint64_t now_ms)
{
	if (now_ms >= window->turn_ms) {
		memcpy(window->older, window->turn_ms ? window->newer : lags,
		       sizeof(window->older));
		memcpy(window->newer, lags, sizeof(window->newer));
		window->turn_ms = now_ms + LAG_WINDOW_MS / 2;
	}
	for (unsigned i = 0; i < TM_HISTOGRAM_BUCKETS; i++)
		lags[i] -= window->older[i] < lags[i] ? window->older[i] : lags[i];
}
