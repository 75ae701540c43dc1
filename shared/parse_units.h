/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parse_units - parses sizes, durations and percentages strictly
 *
 * Shape      decimal digits, then a unit or none; no sign, no space, no hexadecimal, nothing behind
 *            the unit.
 * Errors     as shared/parse.h: -EINVAL, -ERANGE.
 */

#include <stdint.h>

/* "4096", "64K", "16M", "1G": powers of 1024 */
int tm_parse_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *ret_bytes);
/* "10", "10s", "0.5s", "250ms", "2m", "1h"; without a unit: seconds */
int tm_parse_duration(const char *text, uint64_t least_ns, uint64_t most_ns, uint64_t *ret_ns);
/* "1", "0.25": percent with at most four decimals, in millionths */
int tm_parse_percent(const char *text, uint64_t least_ppm, uint64_t most_ppm, uint64_t *ret_ppm);
