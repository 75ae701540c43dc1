/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * completeness - the line that states what a report lacks
 *
 * taken 1980 = exported 1975 + dropped 5 (ring_full 5); not run 0; truncated 3 (exec 3); ...
 * Where the governor has lowered the rate it says so behind `not run`, for how long and how far.
 * Where off-CPU was recorded a second sentence follows, in samples and in the time that they
 * stand for. That time estimates the observed one, which is exact:
 *
 * off-CPU: taken 900 (12.500 s) = exported 880 (12.100 s) + dropped 20 (0.400 s) (ring_full 20
 * 0.400 s); observed 12.431 s in 50000 times, exported 97.3 %; in progress 3 (6.012 s);
 * untracked 0; truncated 1 (depth 1)
 */
#pragma once
/*
 * completeness - the line that states what a report lacks
 *
 * taken 1980 = exported 1975 + dropped 5 (ring_full 5); not run 0; truncated 3 (exec 3); ...
 * Where off-CPU was recorded a second sentence follows, in samples and in the time that they
 * stand for. That time estimates the observed one, which is exact:
 * off-CPU: taken 900 (12.500 s) = exported 880 (12.100 s) + dropped 20 (0.400 s) (ring_full 20
 * 0.400 s); observed 12.431 s in 50000 times, exported 97.3 %; in progress 3 (6.012 s);
 * untracked 0; truncated 1 (depth 1)
 */

#include <stddef.h>

#include "symbolizer/output/report.h"

/* Every reason with the longest number fits; the counts of enums are small and fixed. */
#define COMPLETENESS_BYTES 8192

void completeness_format(const struct report *report, char text[static COMPLETENESS_BYTES]);
