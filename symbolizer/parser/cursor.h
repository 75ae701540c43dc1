/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cursor - reads little-endian numbers and LEB128 from a bounded range of bytes
 *
 * Beyond the end every number is zero and `is_past_end` is set, so a reader may check once, at its
 * end.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool is_past_end;
};

static inline struct cursor cursor_of(const uint8_t *bytes, uint64_t count)
{
	return (struct cursor){bytes, bytes + count, false};
}

static inline uint64_t cursor_left(const struct cursor *cursor)
{
	return (uint64_t)(cursor->end - cursor->at);
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > cursor_left(cursor)) {
		cursor->is_past_end = true;
		bytes = cursor_left(cursor);
	}
	cursor->at += bytes;
}

/* @bytes: 1 to 8. Each usual size has its own copy, which is one instruction. */
static inline uint64_t cursor_number(struct cursor *cursor, uint32_t bytes)
{
	const uint8_t *from = cursor->at;
	uint64_t value = 0;

	cursor_skip(cursor, bytes);
	if (cursor->is_past_end)
		return 0;
	switch (bytes) {
	case 1:
		return *from;
	case 2:
		memcpy(&value, from, 2);
		return value;
	case 4:
		memcpy(&value, from, 4);
		return value;
	case 8:
		memcpy(&value, from, 8);
		return value;
	default:
		memcpy(&value, from, bytes);
		return value;
	}
}

static inline uint8_t cursor_byte(struct cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->is_past_end = true;
		return 0;
	}
	return *cursor->at++;
}

/* LEB128; bits beyond the 64th are lost. @ret_bits: the bits read; the top one is the sign. */
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
	} while (byte & 0x80 && !cursor->is_past_end);
	*ret_bits = bits;
	return value;
}

static inline uint64_t cursor_unsigned(struct cursor *cursor)
{
	uint32_t bits;

	if (cursor->at != cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
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
