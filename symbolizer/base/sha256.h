/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sha256 - SHA-256 (FIPS 180-4), for what is kept in a file and believed only if it is unchanged
 *
 * Our own, since nothing that is linked has one. Bytes may come in parts of any size.
 */

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES 32
#define DIGEST_BLOCK 64

struct digest {
	uint32_t state[DIGEST_BYTES / 4];
	uint64_t bytes; /* so far */
	uint8_t block[DIGEST_BLOCK];
};

void digest_init(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t count);
/* Ends @digest. */
void digest_end(struct digest *digest, uint8_t ret_digest[DIGEST_BYTES]);
