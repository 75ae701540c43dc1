/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump_stream - the bytes of a jitdump at any offset, through a buffer
 */

#include "symbolizer/parser/jit/jitdump_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

int jitdump_stream_open(struct jitdump_stream *stream, const struct image_source *source,
			uint64_t end)
{
	*stream = (struct jitdump_stream){.source = source, .end = end};
	stream->buffer = malloc(JITDUMP_STREAM_BYTES);
	return stream->buffer ? 0 : PARSER_FAILED;
}

const void *jitdump_stream_at(struct jitdump_stream *stream, uint64_t offset, uint32_t bytes)
{
	uint64_t left = offset < stream->end ? stream->end - offset : 0;
	int r;

	if (stream->status || bytes > left || bytes > JITDUMP_STREAM_BYTES)
		return NULL;
	if (offset < stream->offset || offset - stream->offset > stream->count ||
	    stream->count - (offset - stream->offset) < bytes) {
		stream->offset = offset;
		stream->count = 0;
		left = left < JITDUMP_STREAM_BYTES ? left : JITDUMP_STREAM_BYTES;
		r = stream->source->read(stream->source->context, stream->buffer, offset, left);
		if (r < 0) {
			stream->status = r == -EIO ? PARSER_CHANGED : PARSER_FAILED;
			return NULL;
		}
		stream->count = (uint32_t)left;
	}
	return stream->buffer + (offset - stream->offset);
}

const char *jitdump_stream_text(struct jitdump_stream *stream, uint64_t offset, uint64_t end,
				uint32_t *ret_bytes, uint64_t *ret_next)
{
	uint64_t most = offset < end ? end - offset : 0;
	uint32_t bytes = most < PARSER_NAME_MAX ? (uint32_t)most : PARSER_NAME_MAX;
	const char *text = jitdump_stream_at(stream, offset, bytes);
	const char *nul = text ? memchr(text, '\0', bytes) : NULL;

	if (!text)
		return NULL;
	while (!nul && bytes < most && bytes < JITDUMP_STREAM_BYTES) {
		bytes = most < JITDUMP_STREAM_BYTES ? (uint32_t)most : JITDUMP_STREAM_BYTES;
		text = jitdump_stream_at(stream, offset, bytes);
		nul = text ? memchr(text, '\0', bytes) : NULL;
	}
	if (!nul)
		return NULL;
	*ret_bytes = (uint32_t)(nul - text);
	*ret_next = offset + *ret_bytes + 1;
	return text;
}

void jitdump_stream_close(struct jitdump_stream *stream)
{
	free(stream->buffer);
	stream->buffer = NULL;
}
