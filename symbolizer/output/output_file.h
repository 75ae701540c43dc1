/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * output_file - buffered writing to one descriptor, and JSON strings
 *
 * The first error is kept and everything after it is dropped, so that a writer need not check each
 * call: output_file_finish returns it. EINTR is retried; a short write continues.
 */

#include <stddef.h>
#include <stdint.h>

#define OUTPUT_FILE_BUFFER_BYTES (64u << 10)

struct output_file {
	int fd;    /* borrowed */
	int error; /* 0 or -errno, the first */
	size_t used;
	uint64_t written;
	uint8_t buffer[OUTPUT_FILE_BUFFER_BYTES];
};

void output_file_init(struct output_file *out, int fd);
void output_file_bytes(struct output_file *out, const void *bytes, size_t count);
void output_file_text(struct output_file *out, const char *text);
void output_file_format(struct output_file *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_file_number(struct output_file *out, uint64_t number); /* decimal */
/* A JSON string with its quotes. Safe inside <script>: <, >, &, U+2028 and U+2029 are escaped. */
void output_file_json_string(struct output_file *out, const char *text);
/* Flushes. Return: 0 or the first error. */
int output_file_finish(struct output_file *out);
