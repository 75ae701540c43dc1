/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * output_file - buffered writing to one descriptor
 *
 * The first error is kept and everything after it is dropped, so that a writer may be written
 * straight through and asked once at the end. EINTR is retried; a short write goes on.
 */

#include <stddef.h>
#include <stdint.h>

#define SINK_BUFFER_BYTES (64u << 10)

struct sink {
	int fd;    /* borrowed */
	int error; /* 0 or -errno, the first */
	size_t used;
	uint64_t written;
	uint8_t buffer[SINK_BUFFER_BYTES];
};

void sink_init(struct sink *sink, int fd);
void sink_bytes(struct sink *sink, const void *bytes, size_t count);
void sink_text(struct sink *sink, const char *text);
void sink_format(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_number(struct sink *sink, uint64_t number); /* decimal */
/* A JSON string with its quotes; safe inside <script> too: <, >, &, U+2028 and U+2029 are escaped. */
void sink_json_string(struct sink *sink, const char *text);
/* Flushes. Return: 0 or the first error. */
int sink_finish(struct sink *sink);
