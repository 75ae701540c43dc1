/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_content - what a METHOD record says, with its texts in UTF-8
 */

#include "symbolizer/profile/method_content.h"

#include <stdbool.h>
#include <string.h>

#include "shared/utf8.h"

#define CUT_MARK "..."

/* Return: the number of the character at @bytes. */
static uint32_t character(const char *bytes, uint8_t width)
{
	uint32_t wide;
	uint16_t half;

	if (width == 1)
		return (unsigned char)*bytes;
	if (width == 2) {
		memcpy(&half, bytes, sizeof(half));
		return half;
	}
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

/* Return: how many bytes were written. */
static size_t encode(uint32_t point, char to[4])
{
	size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
	static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};

	for (size_t i = more; i > 0; i--, point >>= 6)
		to[i] = (char)(0x80 | (point & 0x3f));
	to[0] = (char)(leads[more] | point);
	return more + 1;
}

/* @to: METHOD_CONTENT_NAME_BYTES. Return: bytes written, with the NUL. */
static uint32_t convert(const char *from, size_t bytes, uint8_t width, bool cut, char *to)
{
	char encoded[METHOD_CONTENT_NAME_BYTES];
	size_t length = 0;

	for (size_t at = 0; at + width <= bytes; at += width) {
		uint32_t point = character(from + at, width);

		if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
			point = 0xfffd;
		length += encode(point, encoded + length);
	}
	if (cut) {
		memcpy(encoded + length, CUT_MARK, strlen(CUT_MARK));
		length += strlen(CUT_MARK);
	}
	return (uint32_t)tm_utf8_clean(encoded, length, to, sizeof(encoded)) + 1;
}

void method_content_read(const struct tm_method *record, struct method_content *ret_content,
			 char texts[METHOD_CONTENT_BYTES])
{
	const char *file = record->text + record->name_bytes;
	uint32_t name_bytes = convert(record->text, record->name_bytes, record->name_width,
				      record->flags & TM_METHOD_NAME_CUT, texts);
	uint32_t file_bytes = convert(file, record->file_bytes, record->file_width,
				      record->flags & TM_METHOD_FILE_CUT, texts + name_bytes);

	*ret_content = (struct method_content){
		.file = name_bytes,
		.lines = name_bytes + file_bytes,
		.bytes = name_bytes + file_bytes + record->lines_bytes,
		.runtime = record->runtime,
		.version = record->version,
		.first_line = record->first_line,
		.flags = record->flags,
	};
	memcpy(texts + ret_content->lines, file + record->file_bytes, record->lines_bytes);
}
