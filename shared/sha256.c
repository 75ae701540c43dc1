/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256 - SHA-256 (FIPS 180-4), for what is kept in a file, and for what names a file
 */

#include "shared/sha256.h"

#include <pthread.h>
#include <string.h>

#define LENGTH_BYTES 8 /* the message's length in bits, which ends its last block */

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes (5.3.3). */
static const uint32_t initial_state[TM_SHA256_WORDS] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static pthread_once_t chosen = PTHREAD_ONCE_INIT;
static bool has_instructions;

static void choose(void)
{
	has_instructions = tm_sha256_x86_is_there();
}

static void process_block(uint32_t state[TM_SHA256_WORDS], const uint8_t *block)
{
	if (has_instructions)
		tm_sha256_x86_block(state, block);
	else
		tm_sha256_block(state, block);
}

void tm_sha256_init(struct tm_sha256 *digest)
{
	(void)pthread_once(&chosen, choose);
	*digest = (struct tm_sha256){.bytes = 0};
	memcpy(digest->state, initial_state, sizeof(initial_state));
}

void tm_sha256_add(struct tm_sha256 *digest, const void *bytes, size_t count)
{
	const uint8_t *from = bytes;

	while (count) {
		size_t at = digest->bytes % TM_SHA256_BLOCK;
		size_t taken = count < TM_SHA256_BLOCK - at ? count : TM_SHA256_BLOCK - at;

		digest->bytes += taken;
		count -= taken;
		if (taken == TM_SHA256_BLOCK) {
			process_block(digest->state, from);
		} else {
			memcpy(digest->block + at, from, taken);
			if (at + taken == TM_SHA256_BLOCK)
				process_block(digest->state, digest->block);
		}
		from += taken;
	}
}

void tm_sha256_end(struct tm_sha256 *digest, uint8_t ret_digest[TM_SHA256_BYTES])
{
	static const uint8_t padding[TM_SHA256_BLOCK] = {0x80};
	uint64_t bits = digest->bytes * 8;
	size_t at = digest->bytes % TM_SHA256_BLOCK;
	size_t limit = TM_SHA256_BLOCK - LENGTH_BYTES;
	uint8_t length[LENGTH_BYTES];

	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	tm_sha256_add(digest, padding, at < limit ? limit - at : TM_SHA256_BLOCK + limit - at);
	tm_sha256_add(digest, length, sizeof(length));
	for (unsigned i = 0; i < TM_SHA256_BYTES; i++)
		ret_digest[i] = (uint8_t)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
}
