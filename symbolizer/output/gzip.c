/* SPDX-License-Identifier: Apache-2.0 */
/* gzip - a protobuf-c buffer that compresses what is packed into it into an output file */

#include "symbolizer/output/gzip.h"

#include <errno.h>
#include <string.h>

#include "symbolizer/output/output_file.h"

#define GZIP_LEVEL        3         /* beyond it, time doubles for a few percent */
#define GZIP_WINDOW_BITS  (15 + 16) /* 15: 32 KiB; + 16: gzip header, zlib.h deflateInit2 */
#define GZIP_MEMORY_LEVEL 8         /* zlib's default */

static void compress_input(struct gzip *gzip, int flush)
{
	int r = Z_OK;

	gzip->stream.next_in = gzip->input;
	gzip->stream.avail_in = gzip->used;
	gzip->used = 0;
	while (gzip->error == 0 && r != Z_STREAM_END) {
		gzip->stream.next_out = gzip->output;
		gzip->stream.avail_out = sizeof(gzip->output);
		r = deflate(&gzip->stream, flush);
		if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
			gzip->error = -EIO;
		output_file_bytes(gzip->out, gzip->output,
				  sizeof(gzip->output) - gzip->stream.avail_out);
		if (flush == Z_NO_FLUSH && gzip->stream.avail_out > 0)
			return; /* the input is used up */
	}
}

static void append(ProtobufCBuffer *buffer, size_t count, const uint8_t *bytes)
{
	struct gzip *gzip = (struct gzip *)buffer;

	while (count > 0 && gzip->error == 0) {
		size_t room = sizeof(gzip->input) - gzip->used, part = count < room ? count : room;

		memcpy(gzip->input + gzip->used, bytes, part);
		gzip->used += (unsigned)part;
		bytes += part;
		count -= part;
		if (gzip->used == sizeof(gzip->input))
			compress_input(gzip, Z_NO_FLUSH);
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
