/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * completeness - the line that states what a report lacks
 *
 * taken 1980 = exported 1975 + dropped 5 (ring_full 5); not run 0; truncated 3 (exec 3); ...
 */

#include <stddef.h>

#include "symbolizer/output/report.h"

/* Every reason with the longest number fits; the counts of enums are small and fixed. */
#define COMPLETENESS_BYTES 4096

void completeness_format(const struct report *report, char text[static COMPLETENESS_BYTES]);
