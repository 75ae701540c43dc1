/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cursor - reads little-endian numbers off bytes that end somewhere
 *
 * Beyond the end everything is zero and `bad` is set; so a reader may look once, when it is done.
 */

#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	int bad;
};

static inline struct cursor cursor_of(const uint8_t *bytes, uint64_t count)
{
	return (struct cursor){bytes, bytes + count, 0};
}

static inline uint64_t cursor_left(const struct cursor *cursor)
{
	return (uint64_t)(cursor->end - cursor->at);
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > cursor_left(cursor)) {
		cursor->bad = 1;
		bytes = cursor_left(cursor);
	}
	cursor->at += bytes;
}

/* @bytes: 1, 2, 4 or 8. */
static inline uint64_t cursor_number(struct cursor *cursor, uint32_t bytes)
{
	const uint8_t *from = cursor->at;
	uint64_t value = 0;

	cursor_skip(cursor, bytes);
	if (!cursor->bad)
		memcpy(&value, from, bytes);
	return value;
}

static inline uint8_t cursor_byte(struct cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->bad = 1;
		return 0;
	}
	return *cursor->at++;
}

/* LEB128; bits beyond the 64th are lost. @ret_bits: how many bits it had, the top one its sign. */
static inline uint64_t cursor_leb(struct cursor *cursor, uint32_t *ret_bits)
{
	uint64_t value = 0;
	uint32_t bits = 0;
	uint8_t byte;

	do {
		byte = cursor_byte(cursor);
		if (bits < 64)
			value |= (uint64_t)(byte & 0x7f) << bits;
		bits += bits < 64 ? 7 : 0;
	} while (byte & 0x80 && !cursor->bad);
	*ret_bits = bits;
	return value;
}

static inline uint64_t cursor_unsigned(struct cursor *cursor)
{
	uint32_t bits;

	return cursor_leb(cursor, &bits);
}

static inline int64_t cursor_signed(struct cursor *cursor)
{
	uint32_t bits;
	uint64_t value = cursor_leb(cursor, &bits);

	if (bits < 64 && value >> (bits - 1) & 1)
		value |= ~0ull << bits;
	return (int64_t)value;
}
