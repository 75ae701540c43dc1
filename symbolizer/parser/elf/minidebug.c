/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minidebug - decompresses .gnu_debugdata: an ELF file with the symbols that .dynsym lacks
 */

#include "symbolizer/parser/elf/minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/parser.h"

#define FIRST_BYTES (1u << 20) /* of the output buffer, which doubles */

/* Makes space for more output; without any left the stream is too large. */
static int grow_output(struct minidebug *minidebug, uint64_t *capacity)
{
	uint64_t wanted = *capacity ? 2 * *capacity : FIRST_BYTES;
	uint8_t *grown;

	if (wanted > MINIDEBUG_MAX)
		return PARSER_TOO_LARGE;
	grown = realloc(minidebug->bytes, wanted);
	if (!grown)
		return PARSER_FAILED;
	minidebug->bytes = grown;
	*capacity = wanted;
	return 0;
}

static int status_of(lzma_ret code)
{
	return code == LZMA_MEMLIMIT_ERROR || code == LZMA_MEM_ERROR ? PARSER_TOO_LARGE
								     : PARSER_MALFORMED;
}

static int decompress(struct minidebug *minidebug, lzma_stream *stream)
{
	lzma_ret code = LZMA_OK;
	uint64_t capacity = 0;
	int r = 0;

	while (!r && code == LZMA_OK) {
		if (minidebug->count == capacity)
			r = grow_output(minidebug, &capacity);
		if (r)
			break;
		stream->next_out = minidebug->bytes + minidebug->count;
		stream->avail_out = capacity - minidebug->count;
		code = lzma_code(stream, LZMA_FINISH);
		minidebug->count = capacity - stream->avail_out;
	}
	if (!r && code != LZMA_STREAM_END)
		r = status_of(code);
	return r;
}

int minidebug_open(struct minidebug *minidebug, const struct sections *sections)
{
	const Elf64_Shdr *header = sections_header(sections, ".gnu_debugdata");
	lzma_stream stream = LZMA_STREAM_INIT;
	struct section section;
	lzma_ret code;
	int r;

	*minidebug = (struct minidebug){0};
	if (!header)
		return 0;
	if (header->sh_size > MINIDEBUG_PACKED_MAX)
		return PARSER_TOO_LARGE;
	r = sections_load_header(sections, header, &section);
	if (r)
		return r;
	if (!section.bytes)
		return PARSER_MALFORMED;
	code = lzma_stream_decoder(&stream, MINIDEBUG_MEMORY_MAX, 0);
	if (code != LZMA_OK)
		return status_of(code);
	stream.next_in = section.bytes;
	stream.avail_in = section.size;
	r = decompress(minidebug, &stream);
	lzma_end(&stream);
	if (r)
		minidebug_close(minidebug);
	return r;
}

static int read_bytes(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct minidebug *minidebug = context;

	if (offset > minidebug->count || bytes > minidebug->count - offset)
		return -EIO;
	memcpy(to, minidebug->bytes + offset, bytes);
	return 0;
}

struct image_source minidebug_source(struct minidebug *minidebug)
{
	return (struct image_source){read_bytes, minidebug, minidebug->count};
}

void minidebug_close(struct minidebug *minidebug)
{
	free(minidebug->bytes);
	*minidebug = (struct minidebug){0};
}
