/* SPDX-License-Identifier: Apache-2.0 */
/* gzip - a protobuf-c buffer that compresses what is packed into it into an output file */

#include "symbolizer/output/gzip.h"

#include <errno.h>
#include <stdint.h>

#include "symbolizer/output/output_file.h"

#define GZIP_LEVEL        3         /* beyond it, time doubles for a few percent */
#define GZIP_WINDOW_BITS  (15 + 16) /* 15: 32 KiB; + 16: gzip header, zlib.h deflateInit2 */
#define GZIP_MEMORY_LEVEL 8         /* zlib's default */

static void compress_input(struct gzip *gzip, int flush)
{
	int r = Z_OK;

	while (gzip->error == 0 && r != Z_STREAM_END) {
		uint8_t chunk[GZIP_CHUNK_BYTES];

		gzip->stream.next_out = chunk;
		gzip->stream.avail_out = sizeof(chunk);
		r = deflate(&gzip->stream, flush);
		if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
			gzip->error = -EIO;
		output_file_bytes(gzip->out, chunk, sizeof(chunk) - gzip->stream.avail_out);
		if (flush == Z_NO_FLUSH && gzip->stream.avail_out > 0)
			return; /* the input is used up */
	}
}

static void append(ProtobufCBuffer *buffer, size_t count, const uint8_t *bytes)
{
	struct gzip *gzip = (struct gzip *)buffer;

	while (count > 0 && gzip->error == 0) {
		uInt part = count < UINT32_MAX ? (uInt)count : UINT32_MAX;

		gzip->stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
		gzip->stream.avail_in = part;
		compress_input(gzip, Z_NO_FLUSH);
		bytes += part;
		count -= part;
	}
}

int gzip_init(struct gzip *gzip, struct output_file *out)
{
	*gzip = (struct gzip){.base = {.append = append}, .out = out};
	if (deflateInit2(&gzip->stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	return 0;
}

int gzip_finish(struct gzip *gzip)
{
	int r;

	compress_input(gzip, Z_FINISH);
	r = output_file_finish(gzip->out);
	return gzip->error != 0 ? gzip->error : r;
}

void gzip_deinit(struct gzip *gzip)
{
	(void)deflateEnd(&gzip->stream);
}
