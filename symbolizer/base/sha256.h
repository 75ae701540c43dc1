/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sha256 - SHA-256 (FIPS 180-4), for what is kept in a file and believed only if it is unchanged
 *
 * Our own, since nothing that is linked has one. Bytes may come in parts of any size.
 */

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_BLOCK 64

struct sha256 {
	uint32_t state[SHA256_BYTES / 4];
	uint64_t bytes; /* so far */
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *digest);
void sha256_add(struct sha256 *digest, const void *bytes, size_t count);
/* Ends @digest. */
void sha256_end(struct sha256 *digest, uint8_t ret_digest[SHA256_BYTES]);
