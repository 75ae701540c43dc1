/* SPDX-License-Identifier: Apache-2.0 */
/* percent - bytes that a text has as '%' and two hexadecimal digits */

#include "shared/percent.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= ' ';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int tm_percent_byte(const char *digits)
{
	int high = digit_of(digits[0]), low = high < 0 ? -1 : digit_of(digits[1]);

	return low < 0 ? -1 : high << 4 | low;
}
