/* SPDX-License-Identifier: Apache-2.0 */
/* inflate - the bytes of a gzip file of hostile origin, up to a limit */

#include "symbolizer/viewer/inflate.h"

#include <zlib.h>

#include "shared/cleanup.h"

#define WINDOW_BITS_GZIP (15 + 16)
#define FIRST_BYTES      (256u << 10)

int bytes_reserve(struct bytes *bytes, uint64_t count)
{
	if (count > UINT32_MAX || budget_grow(bytes->budget, &bytes->items, &bytes->capacity,
					      (uint32_t)count, sizeof(*bytes->items)))
		return INFLATE_E_MEMORY;
	return 0;
}

void bytes_deinit(struct bytes *bytes)
{
	budget_drop(bytes->budget, &bytes->items, &bytes->capacity, sizeof(*bytes->items));
	bytes->count = 0;
}

static void end(z_stream *stream)
{
	(void)inflateEnd(stream);
}

/* Room for more output, at most @most bytes in all. */
static int make_room(z_stream *stream, uint64_t most, struct bytes *to)
{
	if (to->count >= most)
		return INFLATE_E_TOO_LARGE;
	if (to->count == to->capacity && bytes_reserve(to, (uint64_t)to->count + FIRST_BYTES))
		return INFLATE_E_MEMORY;
	stream->next_out = to->items + to->count;
	stream->avail_out = to->capacity - to->count;
	if (stream->avail_out > most - to->count)
		stream->avail_out = (uInt)(most - to->count);
	return 0;
}

/* Return: zlib's answer; INFLATE_E_* by @ret_error. */
static int step(z_stream *stream, uint64_t most, struct bytes *to, int *ret_error)
{
	int r;

	*ret_error = make_room(stream, most, to);
	if (*ret_error)
		return Z_BUF_ERROR;
	r = inflate(stream, Z_NO_FLUSH);
	to->count = (uint32_t)(stream->next_out - to->items);
	if (r != Z_OK && r != Z_STREAM_END)
		*ret_error = r == Z_MEM_ERROR ? INFLATE_E_MEMORY : INFLATE_E_INVALID;
	return r;
}

int inflate_gzip(const uint8_t *from, size_t count, uint64_t most, struct bytes *to)
{
	_cleanup_(end) z_stream stream = {
		.next_in = (uint8_t *)(uintptr_t)from,
		.avail_in = (uInt)count,
	};
	int error = 0;

	to->count = 0;
	if (count > UINT32_MAX)
		return INFLATE_E_TOO_LARGE;
	if (inflateInit2(&stream, WINDOW_BITS_GZIP) != Z_OK)
		return INFLATE_E_MEMORY;
	while (!error) {
		if (step(&stream, most, to, &error) != Z_STREAM_END)
			continue;
		if (stream.avail_in == 0)
			return 0;
		if (inflateReset(&stream) != Z_OK)
			return INFLATE_E_INVALID;
	}
	return error;
}
