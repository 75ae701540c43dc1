/* SPDX-License-Identifier: Apache-2.0 */
/* parse_units - parses sizes, durations and percentages strictly */

#include "shared/parse_units.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "shared/parse.h"

#define PPM_PER_PERCENT 10000ull

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit byte_units[] = {
	{"", 1}, {"K", 1ull << 10}, {"M", 1ull << 20}, {"G", 1ull << 30}};
static const struct unit time_units[] = {{"", 1000000000},      {"s", 1000000000},
					 {"ms", 1000000},       {"us", 1000},
					 {"m", 60000000000ull}, {"h", 3600000000000ull}};

/* The decimals of a value in units of @factor; those that would be less than 1 must be zero. */
static int fraction(const char **text, uint64_t factor, uint64_t *ret_part)
{
	uint64_t part = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
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

/* Hands @value over if it is within the limits. Return: 0, -ERANGE. */
static int within(uint64_t value, uint64_t least, uint64_t most, uint64_t *ret_value)
{
	if (value < least || value > most)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int tm_parse_bytes(const char *text, uint64_t least, uint64_t most, uint64_t *ret_bytes)
{
	const struct unit *unit;
	uint64_t value = 0;
	int r = tm_parse_digits(&text, &value);

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
	int r = tm_parse_digits(&text, &value);

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

int tm_parse_percent(const char *text, uint64_t least_ppm, uint64_t most_ppm, uint64_t *ret_ppm)
{
	uint64_t value = 0, part = 0;
	int r = tm_parse_digits(&text, &value);

	if (r == 0 && *text == '.') {
		text++;
		r = fraction(&text, PPM_PER_PERCENT, &part);
	}
	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	if (__builtin_mul_overflow(value, PPM_PER_PERCENT, &value) ||
	    __builtin_add_overflow(value, part, &value))
		return -ERANGE;
	return within(value, least_ppm, most_ppm, ret_ppm);
}
