/* SPDX-License-Identifier: Apache-2.0 */
/* output_file - buffered writing to one descriptor, with the escapes that more than one format needs */

#include "symbolizer/output/output_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DECIMAL_DIGITS_MAX 20 /* of 2^64 - 1 */

static void write_out(struct output_file *sink, const uint8_t *bytes, size_t count)
{
	while (count > 0 && sink->error == 0) {
		ssize_t done = write(sink->fd, bytes, count);

		if (done < 0) {
			if (errno != EINTR)
				sink->error = -errno;
			continue;
		}
		if (done == 0) { /* a descriptor that takes nothing would turn this into a loop */
			sink->error = -EIO;
			return;
		}
		sink->written += (uint64_t)done;
		bytes += done;
		count -= (size_t)done;
	}
}

static void flush(struct output_file *sink)
{
	write_out(sink, sink->buffer, sink->used);
	sink->used = 0;
}

/* Length of the character at text that must not stand in a JSON string as it is; 0: it may. */
static size_t json_special(const char *text)
{
	const uint8_t *byte = (const uint8_t *)text;

	if (byte[0] < 0x20 || byte[0] == 0x7f || strchr("\"\\<>&", byte[0]))
		return 1;
	/* U+2028 and U+2029 end a line in older script engines */
	if (byte[0] == 0xe2 && byte[1] == 0x80 && (byte[2] == 0xa8 || byte[2] == 0xa9))
		return 3;
	return 0;
}

void output_file_init(struct output_file *sink, int fd)
{
	sink->fd = fd;
	sink->error = 0;
	sink->used = 0;
	sink->written = 0;
}

void output_file_bytes(struct output_file *sink, const void *bytes, size_t count)
{
	if (count > OUTPUT_FILE_BUFFER_BYTES - sink->used) {
		flush(sink);
		if (count >= OUTPUT_FILE_BUFFER_BYTES) {
			write_out(sink, bytes, count);
			return;
		}
	}
	memcpy(sink->buffer + sink->used, bytes, count);
	sink->used += count;
}

void output_file_text(struct output_file *sink, const char *text)
{
	output_file_bytes(sink, text, strlen(text));
}

void output_file_number(struct output_file *sink, uint64_t number)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	output_file_bytes(sink, digits + at, sizeof(digits) - at);
}

void output_file_format(struct output_file *sink, const char *format, ...)
{
	for (int try = 0; try < 2; try++) {
		size_t room = OUTPUT_FILE_BUFFER_BYTES - sink->used;
		va_list arguments;
		int length;

		va_start(arguments, format);
		length = vsnprintf((char *)sink->buffer + sink->used, room, format, arguments);
		va_end(arguments);
		if (length >= 0 && (size_t)length < room) {
			sink->used += (size_t)length;
			return;
		}
		flush(sink);
	}
	if (sink->error == 0)
		sink->error = -EMSGSIZE;
}

void output_file_json_string(struct output_file *sink, const char *text)
{
	const char *plain = text;

	output_file_bytes(sink, "\"", 1);
	while (*text) {
		size_t special = json_special(text);

		if (special == 0) {
			text++;
			continue;
		}
		output_file_bytes(sink, plain, (size_t)(text - plain));
		if (special == 3)
			output_file_format(sink, "\\u%04x",
					   (uint8_t)text[2] == 0xa8 ? 0x2028u : 0x2029u);
		else
			output_file_format(sink, "\\u%04x", (uint8_t)text[0]);
		text += special;
		plain = text;
	}
	output_file_bytes(sink, plain, (size_t)(text - plain));
	output_file_bytes(sink, "\"", 1);
}

int output_file_finish(struct output_file *sink)
{
	flush(sink);
	return sink->error;
}
