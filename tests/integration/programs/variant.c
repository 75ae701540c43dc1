/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variant - a library with one function, which lies at the same offset in each of its variants
 *
 * Built once for each letter VARIANT: the function is variant_a, variant_b and so on. It is the
 * library's entry point, so that a program finds it without a symbol table.
 */

#include <stdint.h>

#include "spin.h"

#define JOIN(a, b)   a##b
#define NAME(letter) JOIN(variant_, letter)

uint64_t NAME(VARIANT)(uint64_t x, unsigned rounds);

__attribute__((visibility("default"))) uint64_t NAME(VARIANT)(uint64_t x, unsigned rounds)
{
	/* A compiler leaves out the frame record of a function that needs no stack. */
	__asm__ __volatile__("" : : "r"(__builtin_frame_address(0)));
	SPIN_CHAIN_BY(x, rounds, FACTOR);
	return x + FACTOR;
}
