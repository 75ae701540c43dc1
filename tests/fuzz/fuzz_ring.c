/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ring - a shared ring in which a hostile writer filled every byte
 *
 * Input: tail and watermark, then the bytes of the ring.
 */

#include <stdlib.h>
#include <string.h>

#include "shared/ring_reader.h"
#include "tests/fuzz/fuzz.h"

#define REGION_BYTES (TM_RING_HEADER_BYTES + TM_RING_MIN_BYTES)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static _Alignas(4096) uint8_t region[REGION_BYTES];
	static uint64_t record[(TM_EVENT_MAX_BYTES + 7) / 8];
	struct tm_ring_header *header = (void *)region;
	struct tm_ring_reader_page page = {0};
	struct tm_ring_reader reader;
	uint64_t words[2], watermark;
	uint32_t length;

	if (bytes < sizeof(words))
		return 0;
	memcpy(words, data, sizeof(words));
	memset(region, 0, sizeof(region));
	header->magic = TM_RING_MAGIC;
	header->version = TM_EVENT_VERSION;
	header->capacity = TM_RING_MIN_BYTES;
	atomic_store(&header->tail_pos, words[0]);
	atomic_store(&header->watermark, words[1]);
	bytes -= sizeof(words);
	memcpy(region + TM_RING_HEADER_BYTES, data + sizeof(words),
	       bytes < TM_RING_MIN_BYTES ? bytes : TM_RING_MIN_BYTES);
	if (tm_ring_reader_init(&reader, region, sizeof(region), &page) ||
	    tm_ring_reader_begin(&reader, &watermark))
		return 0;
	while (tm_ring_pop(&reader, record, sizeof(record), &length) == 0)
		if (length % 8 || length > sizeof(record))
			abort();
	tm_ring_reader_commit(&reader);
	return 0;
}
