/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_x86 - one block of SHA-256 by the SHA instructions of x86
 *
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2: SHA256RNDS2 does two
 * rounds on the variables of FIPS 180-4 in the order a b e f and c d g h, high word first;
 * SHA256MSG1 and SHA256MSG2 make four words of the schedule. CPUID: leaf 1, leaf 7.
 */

#include "shared/sha256_block.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#define SHA_TARGET __attribute__((target("sha,sse4.1")))

bool tm_sha256_x86_is_there(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1) &&
	       __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* Return: the four words of the schedule behind the sixteen of @words. */
SHA_TARGET static __m128i next_words(const __m128i words[4])
{
	__m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[0], words[1]),
				    _mm_alignr_epi8(words[3], words[2], 4));

	return _mm_sha256msg2_epu32(sum, words[3]);
}

/* @abef, @cdgh: the variables. */
SHA_TARGET static void do_rounds(__m128i *abef, __m128i *cdgh, const uint8_t *block)
{
	const __m128i big_endian =
		_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
	__m128i words[4] = {0};

	for (unsigned i = 0; i < TM_SHA256_ROUNDS; i += 4) {
		const __m128i *from = (const void *)(block + 4 * (size_t)i);
		__m128i next = i < 16 ? _mm_shuffle_epi8(_mm_loadu_si128(from), big_endian)
				      : next_words(words);
		__m128i sums = _mm_add_epi32(
			next, _mm_loadu_si128((const void *)(tm_sha256_constants + i)));

		*cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sums);
		*abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_unpackhi_epi64(sums, sums));
		words[0] = words[1];
		words[1] = words[2];
		words[2] = words[3];
		words[3] = next;
	}
}

SHA_TARGET void tm_sha256_x86_block(uint32_t state[TM_SHA256_WORDS],
				    const uint8_t block[TM_SHA256_BLOCK])
{
	__m128i *first = (void *)state, *last = (void *)(state + 4);
	/* 0xb1 swaps the words of each half, 0x1b reverses all four */
	__m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(first), 0xb1);
	__m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(last), 0x1b);
	__m128i old_abef = _mm_alignr_epi8(cdab, efgh, 8), abef = old_abef;
	__m128i old_cdgh = _mm_blend_epi16(efgh, cdab, 0xf0), cdgh = old_cdgh;
	__m128i feba, dchg;

	do_rounds(&abef, &cdgh, block);
	feba = _mm_shuffle_epi32(_mm_add_epi32(abef, old_abef), 0x1b);
	dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, old_cdgh), 0xb1);
	_mm_storeu_si128(first, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128(last, _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool tm_sha256_x86_is_there(void)
{
	return false;
}

void tm_sha256_x86_block(uint32_t state[TM_SHA256_WORDS], const uint8_t block[TM_SHA256_BLOCK])
{
	tm_sha256_block(state, block);
}
#endif
