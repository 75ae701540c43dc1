/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sha256_block - adds one block to the state of a SHA-256 digest (FIPS 180-4, section 6.2.2)
 */

#include <stdbool.h>
#include <stdint.h>

#define TM_SHA256_BLOCK  64 /* bytes */
#define TM_SHA256_WORDS  8
#define TM_SHA256_ROUNDS 64

extern const uint32_t tm_sha256_constants[TM_SHA256_ROUNDS];

void tm_sha256_block(uint32_t state[TM_SHA256_WORDS], const uint8_t block[TM_SHA256_BLOCK]);

/* The same by the SHA instructions of x86; only where this CPU has them. */
bool tm_sha256_x86_is_there(void);
void tm_sha256_x86_block(uint32_t state[TM_SHA256_WORDS], const uint8_t block[TM_SHA256_BLOCK]);
