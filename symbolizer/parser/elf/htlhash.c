/* SPDX-License-Identifier: Apache-2.0 */
/*
 * htlhash - names a file by its head, tail and length, as OpenTelemetry's profiles do
 */

#include "symbolizer/parser/elf/htlhash.h"

#include <string.h>

#include "shared/sha256.h"

#define PART_BYTES 4096u

/* Return: 0, PARSER_FAILED. */
static int add_part(struct tm_sha256 *digest, const struct image_source *source, uint64_t offset,
		    size_t bytes)
{
	uint8_t part[PART_BYTES];

	if (bytes && source->read(source->context, part, offset, bytes) < 0)
		return PARSER_FAILED;
	tm_sha256_add(digest, part, bytes);
	return 0;
}

static void add_length(struct tm_sha256 *digest, uint64_t bytes)
{
	uint8_t length[sizeof(bytes)];

	for (unsigned i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(bytes >> (8 * (sizeof(length) - 1 - i)));
	tm_sha256_add(digest, length, sizeof(length));
}

int htlhash_read(const struct image_source *source, uint8_t ret_hash[PARSER_HTLHASH_BYTES])
{
	const size_t part = source->bytes < PART_BYTES ? (size_t)source->bytes : PART_BYTES;
	uint8_t whole[TM_SHA256_BYTES];
	struct tm_sha256 digest;
	int r;

	tm_sha256_init(&digest);
	r = add_part(&digest, source, 0, part);
	if (!r)
		r = add_part(&digest, source, source->bytes - part, part);
	if (r)
		return r;
	add_length(&digest, source->bytes);
	tm_sha256_end(&digest, whole);
	memcpy(ret_hash, whole, PARSER_HTLHASH_BYTES);
	return 0;
}
