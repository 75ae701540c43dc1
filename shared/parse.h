/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parse - parses numbers, sizes and durations strictly
 *
 * Shape      decimal digits, then a unit where one is allowed; no sign, no space, no hexadecimal,
 *            nothing behind the unit.
 * Errors     -EINVAL (not of this shape); -ERANGE (outside @least..@most, both allowed, or not
 *            representable). ret_* is written only on success.
 */

#include <stdint.h>

/* "4711" */
int tm_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number);
/* "4096", "64K", "16M", "1G": powers of 1024 */
int tm_parse_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *ret_bytes);
/* "10", "10s", "0.5s", "250ms", "2m", "1h"; without a unit: seconds */
int tm_parse_duration(const char *text, uint64_t least_ns, uint64_t most_ns, uint64_t *ret_ns);
