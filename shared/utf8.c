/* SPDX-License-Identifier: Apache-2.0 */
/* utf8 - turns any bytes into valid UTF-8 without control characters */

#include "shared/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char replacement[3] = {'\xef', '\xbf', '\xbd'}; /* U+FFFD */

/* Length of the sequence that @lead begins, 0 when it begins none. */
static size_t length_by(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/*
 * Length of the valid sequence at @at, 0 when there is none: shortest forms only, no surrogates,
 * nothing beyond U+10FFFF.
 */
static size_t sequence(const unsigned char *at, size_t left, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = length_by(at[0]), i;
	uint32_t point = length < 2 ? at[0] : at[0] & (0x7fu >> length);

	if (length == 0 || length > left)
		return 0;
	for (i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3fu);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return length;
}

static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
	       point == 0x200e || point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

size_t tm_utf8_clean(const char *bytes, size_t count, char *clean, size_t clean_bytes)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t written = 0;

	while (count > 0) {
		uint32_t point = 0;
		size_t taken = sequence(at, count, &point);
		const char *from = taken == 0 ? replacement : (const char *)at;
		size_t length = taken == 0 ? sizeof(replacement) : taken;

		if (taken > 0 && is_control(point)) {
			from = "_";
			length = 1;
		}
		if (length >= clean_bytes - written)
			break;
		memcpy(clean + written, from, length);
		written += length;
		taken += taken == 0;
		at += taken;
		count -= taken;
	}
	clean[written] = '\0';
	return written;
}
