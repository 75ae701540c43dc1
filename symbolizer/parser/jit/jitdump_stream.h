/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jitdump_stream - the bytes of a jitdump at any offset, through a buffer
 *
 * Most of such a file is machine code, which nobody asks for: what is skipped and does not lie in
 * the buffer is not read.
 */

#include "symbolizer/parser/elf/image.h"

#define JITDUMP_STREAM_BYTES (64u << 10) /* of the buffer; no more can be asked for at once */

struct jitdump_stream {
	const struct image_source *source; /* borrowed */
	uint64_t end;                      /* what is behind it is not read */
	uint8_t *buffer;                   /* owned */
	uint64_t offset;                   /* in the file, of the buffer's first byte */
	uint32_t count;                    /* bytes in it */
	int status;                        /* PARSER_CHANGED or PARSER_FAILED, once a read failed */
};

/* @end: at most the file's bytes. Return: 0, PARSER_FAILED (memory). */
int jitdump_stream_open(struct jitdump_stream *stream, const struct image_source *source,
			uint64_t end);
/* Return: @bytes at @offset, until the next call; NULL: they are not there, or `status`. */
const void *jitdump_stream_at(struct jitdump_stream *stream, uint64_t offset, uint32_t bytes);
/*
 * The text at @offset, which must end with a NUL before @end. *ret_bytes: without that, and at most
 * as many as the buffer has. *ret_next: behind the NUL. Return: the text, or NULL as above.
 */
const char *jitdump_stream_text(struct jitdump_stream *stream, uint64_t offset, uint64_t end,
				uint32_t *ret_bytes, uint64_t *ret_next);
void jitdump_stream_close(struct jitdump_stream *stream);
