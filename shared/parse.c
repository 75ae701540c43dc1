/* SPDX-License-Identifier: Apache-2.0 */
/* parse - parses numbers strictly */

#include "shared/parse.h"

#include <errno.h>
#include <stdbool.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int tm_parse_digits(const char **text, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!is_digit(**text))
		return -EINVAL;
	for (; is_digit(**text); (*text)++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value))
			return -ERANGE;
	}
	*ret_value = value;
	return 0;
}

int tm_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number)
{
	uint64_t value = 0;
	int r = tm_parse_digits(&text, &value);

	if (r == 0 && *text != '\0')
		r = -EINVAL;
	else if (r == 0 && (value < least || value > most))
		r = -ERANGE;
	if (r == 0)
		*ret_number = value;
	return r;
}
