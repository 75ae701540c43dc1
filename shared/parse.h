/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * parse - parses numbers strictly
 *
 * Shape      decimal digits; no sign, no space, no hexadecimal, nothing behind them.
 * Errors     -EINVAL (not of this shape); -ERANGE (outside @least..@most, both allowed, or not
 *            representable). ret_* is written only on success.
 */

#include <stdint.h>

/* "4711" */
int tm_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number);
/* Reads the digits that *text begins with, and moves it behind them. */
int tm_parse_digits(const char **text, uint64_t *ret_value);
