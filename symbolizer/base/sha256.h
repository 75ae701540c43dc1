/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sha256 - SHA-256 (FIPS 180-4), by which data kept in a file is checked before it is used
 *
 * Written here because no linked library has it. The input may be added in parts of any size.
 */

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

struct sha256 {
	uint32_t state[SHA256_BYTES / 4];
	uint64_t bytes; /* added so far */
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *digest);
void sha256_add(struct sha256 *digest, const void *bytes, size_t count);
/* @digest needs sha256_init before it is used again. */
void sha256_end(struct sha256 *digest, uint8_t ret_digest[SHA256_BYTES]);
