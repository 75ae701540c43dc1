/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_block - one block of SHA-256 by what every CPU has: FIPS 180-4, sections 4 to 6
 */

#include "shared/sha256_block.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2). */
const uint32_t tm_sha256_constants[TM_SHA256_ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate_right(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(uint32_t schedule[TM_SHA256_ROUNDS], const uint8_t *block)
{
	for (unsigned i = 0; i < 16; i++)
		schedule[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			      (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < TM_SHA256_ROUNDS; i++) {
		uint32_t early = schedule[i - 15], late = schedule[i - 2];

		schedule[i] = schedule[i - 16] + schedule[i - 7] +
			      (rotate_right(early, 7) ^ rotate_right(early, 18) ^ early >> 3) +
			      (rotate_right(late, 17) ^ rotate_right(late, 19) ^ late >> 10);
	}
}

/* Section 6.2.2 of the standard, with its variable names. */
void tm_sha256_block(uint32_t state[TM_SHA256_WORDS], const uint8_t block[TM_SHA256_BLOCK])
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t schedule[TM_SHA256_ROUNDS];

	expand(schedule, block);
	for (unsigned i = 0; i < TM_SHA256_ROUNDS; i++) {
		uint32_t t1 = h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
			      ((e & f) ^ (~e & g)) + tm_sha256_constants[i] + schedule[i];
		uint32_t t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
			      ((a & b) ^ (a & c) ^ (b & c));

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}
