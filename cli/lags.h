/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lags - the largest lags of W among those that were counted
 *
 * Units      ns, rounded up to the end of a bucket (shared/histogram.h), and never more than the
 *            largest since the collector's start, which also stands for the last bucket. 0: none
 *            was counted.
 */

#include "shared/wire.h"

/* The 99th percentile. */
uint64_t lags_p99_ns(const struct tm_counts *counts);
uint64_t lags_max_ns(const struct tm_counts *counts);
