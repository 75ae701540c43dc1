/* SPDX-License-Identifier: Apache-2.0 */
/* output_file - buffered writing to one descriptor, and JSON strings */

#include "symbolizer/output/output_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DECIMAL_DIGITS_MAX 20 /* of 2^64 - 1 */

static void write_out(struct output_file *out, const uint8_t *bytes, size_t count)
{
	while (count > 0 && out->error == 0) {
		ssize_t done = write(out->fd, bytes, count);

		if (done < 0) {
			if (errno != EINTR)
				out->error = -errno;
			continue;
		}
		if (done == 0) { /* a descriptor that takes nothing would turn this into a loop */
			out->error = -EIO;
			return;
		}
		out->written += (uint64_t)done;
		bytes += done;
		count -= (size_t)done;
	}
}

static void flush(struct output_file *out)
{
	write_out(out, out->buffer, out->used);
	out->used = 0;
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

void output_file_init(struct output_file *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->used = 0;
	out->written = 0;
}

void output_file_bytes(struct output_file *out, const void *bytes, size_t count)
{
	if (count > OUTPUT_FILE_BUFFER_BYTES - out->used) {
		flush(out);
		if (count >= OUTPUT_FILE_BUFFER_BYTES) {
			write_out(out, bytes, count);
			return;
		}
	}
	memcpy(out->buffer + out->used, bytes, count);
	out->used += count;
}

void output_file_text(struct output_file *out, const char *text)
{
	output_file_bytes(out, text, strlen(text));
}

void output_file_number(struct output_file *out, uint64_t number)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	output_file_bytes(out, digits + at, sizeof(digits) - at);
}

void output_file_format(struct output_file *out, const char *format, ...)
{
	for (int try = 0; try < 2; try++) {
		size_t space = OUTPUT_FILE_BUFFER_BYTES - out->used;
		va_list arguments;
		int length;

		va_start(arguments, format);
		length = vsnprintf((char *)out->buffer + out->used, space, format, arguments);
		va_end(arguments);
		if (length >= 0 && (size_t)length < space) {
			out->used += (size_t)length;
			return;
		}
		flush(out);
	}
	if (out->error == 0)
		out->error = -EMSGSIZE;
}

void output_file_json_string(struct output_file *out, const char *text)
{
	const char *plain = text;

	output_file_bytes(out, "\"", 1);
	while (*text) {
		size_t special = json_special(text);

		if (special == 0) {
			text++;
			continue;
		}
		output_file_bytes(out, plain, (size_t)(text - plain));
		if (special == 3)
			output_file_format(out, "\\u%04x",
					   (uint8_t)text[2] == 0xa8 ? 0x2028u : 0x2029u);
		else
			output_file_format(out, "\\u%04x", (uint8_t)text[0]);
		text += special;
		plain = text;
	}
	output_file_bytes(out, plain, (size_t)(text - plain));
	output_file_bytes(out, "\"", 1);
}

int output_file_finish(struct output_file *out)
{
	flush(out);
	return out->error;
}
