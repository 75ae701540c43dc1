/* SPDX-License-Identifier: Apache-2.0 */
/*
 * method_content - what a METHOD record says, with its texts in UTF-8
 */

#include "symbolizer/profile/method_content.h"

#include <string.h>

#include "shared/runtime.h"
#include "shared/utf8.h"

#define CUT_MARK      "..."
#define NO_CHARACTER  0xfffdu
#define MODIFIED_UTF8 0u /* in place of a width */

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

/* A name in UTF-8 that is not clean yet. */
struct name {
	char bytes[METHOD_CONTENT_NAME_BYTES];
	size_t length;
};

static void add_bytes(struct name *name, const char *bytes, size_t count)
{
	memcpy(name->bytes + name->length, bytes, count);
	name->length += count;
}

static void add_wide(struct name *name, const char *from, size_t bytes, uint8_t width)
{
	for (size_t at = 0; at + width <= bytes; at += width) {
		uint32_t point = character(from + at, width);

		if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
			point = NO_CHARACTER;
		name->length += encode(point, name->bytes + name->length);
	}
}

/* Three bytes that a surrogate is in modified UTF-8. Return: its number; 0: they are none. */
static uint32_t surrogate(const char *bytes, size_t left)
{
	const uint8_t *at = (const uint8_t *)bytes;

	if (left < 3 || at[0] != 0xed || (at[1] & 0xe0) != 0xa0 || (at[2] & 0xc0) != 0x80)
		return 0;
	return 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

/* Modified UTF-8 is UTF-8 but for U+0000 and what is beyond U+FFFF, which is two surrogates. */
static void add_modified(struct name *name, const char *from, size_t bytes)
{
	for (size_t at = 0, taken; at < bytes; at += taken) {
		const uint32_t high = surrogate(from + at, bytes - at);
		const uint32_t low = high ? surrogate(from + at + 3, bytes - at - 3) : 0;
		uint32_t point = 0;

		taken = 2;
		if (high) {
			const bool pair = high < 0xdc00 && low >= 0xdc00;

			taken = pair ? 6 : 3;
			point = pair ? 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff))
				     : NO_CHARACTER;
		} else if (bytes - at < 2 || memcmp(from + at, "\xc0\x80", 2) != 0) {
			taken = 1;
			add_bytes(name, from + at, 1);
			continue;
		}
		name->length += encode(point, name->bytes + name->length);
	}
}

/* @width: of a character, or MODIFIED_UTF8. */
static void add(struct name *name, const char *from, size_t bytes, uint8_t width, bool cut)
{
	if (width == MODIFIED_UTF8)
		add_modified(name, from, bytes);
	else
		add_wide(name, from, bytes, width);
	if (cut)
		add_bytes(name, CUT_MARK, strlen(CUT_MARK));
}

static bool is_hexadecimal(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* Return: how much of a class's name comes before the address of a hidden one. */
static size_t without_address(const char *class, size_t bytes)
{
	size_t at = bytes;

	while (at > 0 && is_hexadecimal(class[at - 1]))
		at--;
	if (at == bytes || at < 3 || memcmp(class + at - 2, "0x", 2) != 0)
		return bytes;
	return class[at - 3] == '+' || class[at - 3] == '/' ? at - 3 : bytes;
}

/* Appends what is clean of @name at @length of @to, of METHOD_CONTENT_NAME_BYTES.
 * Return: the new length, without the NUL. */
static uint32_t clean(const struct name *name, char *to, uint32_t length)
{
	return length + (uint32_t)tm_utf8_clean(name->bytes, name->length, to + length,
						METHOD_CONTENT_NAME_BYTES - length);
}

struct texts { /* of a record */
	const char *class, *name, *signature, *file, *lines;
};

static struct texts texts_of(const struct tm_method *record)
{
	struct texts texts = {.class = record->text};

	texts.name = texts.class + record->class_bytes;
	texts.signature = texts.name + record->name_bytes;
	texts.file = texts.signature + record->signature_bytes;
	texts.lines = texts.file + record->file_bytes;
	return texts;
}

static void add_class(struct name *name, const struct tm_method *record, const char *class)
{
	const bool cut = record->flags & TM_METHOD_CLASS_CUT;

	if (record->class_bytes == 0)
		return;
	add(name, class, cut ? record->class_bytes : without_address(class, record->class_bytes),
	    MODIFIED_UTF8, cut);
	add_bytes(name, ".", 1);
}

/* CPython has no more than a name, and in Java a class and a signature alone name nothing.
 * Return: the length. */
static uint32_t read_function(const struct tm_method *record, const struct texts *from,
			      uint8_t width, char *to, uint32_t *ret_signature)
{
	const bool java = width == MODIFIED_UTF8 && record->name_bytes != 0;
	struct name name = {.length = 0}, signature = {.length = 0};

	if (java)
		add_class(&name, record, from->class);
	add(&name, from->name, record->name_bytes, width, record->flags & TM_METHOD_NAME_CUT);
	if (java)
		add(&signature, from->signature, record->signature_bytes, MODIFIED_UTF8,
		    record->flags & TM_METHOD_SIGNATURE_CUT);
	*ret_signature = clean(&name, to, 0);
	return clean(&signature, to, *ret_signature);
}

static bool is_further_part(const struct tm_method *record)
{
	return record->lines_part < TM_METHOD_PARTS && !record->class_bytes &&
	       !record->name_bytes && !record->signature_bytes && !record->file_bytes;
}

bool method_content_fits(const struct tm_method *record)
{
	return record->class_bytes <= TM_METHOD_CLASS_MAX &&
	       record->name_bytes <= TM_METHOD_NAME_MAX &&
	       record->signature_bytes <= TM_METHOD_SIGNATURE_MAX &&
	       record->file_bytes <= TM_METHOD_FILE_MAX &&
	       record->lines_bytes <= TM_METHOD_LINES_MAX &&
	       (!record->lines_part || is_further_part(record));
}

void method_content_read(const struct tm_method *record, struct method_content *ret_content,
			 char texts[METHOD_CONTENT_BYTES])
{
	const bool java = record->runtime == TM_RUNTIME_JAVA;
	const struct texts from = texts_of(record);
	struct name path = {.length = 0};
	uint32_t signature, file, lines;

	file = 1 + read_function(record, &from, java ? MODIFIED_UTF8 : record->name_width, texts,
				 &signature);
	add(&path, from.file, record->file_bytes, java ? MODIFIED_UTF8 : record->file_width,
	    record->flags & TM_METHOD_FILE_CUT);
	lines = file + 1 + clean(&path, texts + file, 0);
	*ret_content = (struct method_content){
		.signature = signature,
		.file = file,
		.lines = lines,
		.bytes = lines + record->lines_bytes,
		.runtime = record->runtime,
		.version = record->version,
		.first_line = record->first_line,
		.flags = record->flags,
	};
	memcpy(texts + lines, from.lines, record->lines_bytes);
}
