/* SPDX-License-Identifier: Apache-2.0 */
/* gzip - a protobuf-c buffer that compresses what is packed into it straight to a sink */

#include "symbolizer/output/gzip.h"

#include <errno.h>
#include <stdint.h>

#include "symbolizer/output/output_file.h"

#define GZIP_LEVEL        3         /* beyond it, time doubles for a few percent */
#define GZIP_WINDOW_BITS  (15 + 16) /* 15: 32 KiB; + 16: gzip header, zlib.h deflateInit2 */
#define GZIP_MEMORY_LEVEL 8         /* zlib's default */

static void compress_input(struct gzip *deflater, int flush)
{
	int r = Z_OK;

	while (deflater->error == 0 && r != Z_STREAM_END) {
		uint8_t chunk[GZIP_CHUNK_BYTES];

		deflater->stream.next_out = chunk;
		deflater->stream.avail_out = sizeof(chunk);
		r = deflate(&deflater->stream, flush);
		if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
			deflater->error = -EIO;
		output_file_bytes(deflater->sink, chunk,
				  sizeof(chunk) - deflater->stream.avail_out);
		if (flush == Z_NO_FLUSH && deflater->stream.avail_out > 0)
			return; /* the input is used up */
	}
}

static void append(ProtobufCBuffer *buffer, size_t count, const uint8_t *bytes)
{
	struct gzip *deflater = (struct gzip *)buffer;

	while (count > 0 && deflater->error == 0) {
		uInt part = count < UINT32_MAX ? (uInt)count : UINT32_MAX;

		deflater->stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
		deflater->stream.avail_in = part;
		compress_input(deflater, Z_NO_FLUSH);
		bytes += part;
		count -= part;
	}
}

int gzip_init(struct gzip *deflater, struct output_file *sink)
{
	*deflater = (struct gzip){.base = {.append = append}, .sink = sink};
	if (deflateInit2(&deflater->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS,
			 GZIP_MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	return 0;
}

int gzip_finish(struct gzip *deflater)
{
	int r;

	compress_input(deflater, Z_FINISH);
	r = output_file_finish(deflater->sink);
	return deflater->error != 0 ? deflater->error : r;
}

void gzip_deinit(struct gzip *deflater)
{
	(void)deflateEnd(&deflater->stream);
}
