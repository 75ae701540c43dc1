/* SPDX-License-Identifier: Apache-2.0 */
/* parse - parses numbers, sizes and durations strictly */

#include "shared/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit byte_units[] = {
	{"", 1}, {"K", 1ull << 10}, {"M", 1ull << 20}, {"G", 1ull << 30}};
static const struct unit time_units[] = {{"", 1000000000},      {"s", 1000000000},
					 {"ms", 1000000},       {"us", 1000},
					 {"m", 60000000000ull}, {"h", 3600000000000ull}};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits up to the first other character. */
static int digits(const char **text, uint64_t *ret_value)
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

/* The decimals of a value in units of @factor; those that would be less than 1 must be zero. */
static int fraction(const char **text, uint64_t factor, uint64_t *ret_part)
{
	uint64_t part = 0;

	if (!is_digit(**text))
		return -EINVAL;
	for (; is_digit(**text); (*text)++) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (factor % 10 != 0 && digit != 0)
			return -EINVAL;
		factor /= 10;
		part += digit * factor;
	}
	*ret_part = part;
	return 0;
}

static const struct unit *find(const struct unit *units, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

static int within(uint64_t value, uint64_t least, uint64_t most, uint64_t *ret_value)
{
	if (value < least || value > most)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int tm_parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number)
{
	uint64_t value = 0;
	int r = digits(&text, &value);

	if (r < 0)
		return r;
	return *text == '\0' ? within(value, least, most, ret_number) : -EINVAL;
}

int tm_parse_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *ret_bytes)
{
	const struct unit *unit;
	uint64_t value = 0;
	int r = digits(&text, &value);

	if (r < 0)
		return r;
	unit = find(byte_units, sizeof(byte_units) / sizeof(byte_units[0]), text);
	if (unit == NULL)
		return -EINVAL;
	if (__builtin_mul_overflow(value, unit->factor, &value))
		return -ERANGE;
	return within(value, least, most, ret_bytes);
}

int tm_parse_duration(const char *text, uint64_t least_ns, uint64_t most_ns, uint64_t *ret_ns)
{
	const char *decimals = NULL;
	const struct unit *unit;
	uint64_t value = 0, part = 0;
	int r = digits(&text, &value);

	if (r < 0)
		return r;
	if (*text == '.') {
		decimals = ++text;
		text += strspn(text, "0123456789");
	}
	unit = find(time_units, sizeof(time_units) / sizeof(time_units[0]), text);
	if (unit == NULL)
		return -EINVAL;
	if (decimals != NULL) {
		r = fraction(&decimals, unit->factor, &part);
		if (r < 0)
			return r;
	}
	if (__builtin_mul_overflow(value, unit->factor, &value) ||
	    __builtin_add_overflow(value, part, &value))
		return -ERANGE;
	return within(value, least_ns, most_ns, ret_ns);
}
