/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sha256 - SHA-256 (FIPS 180-4), for what is kept in a file, and for what names a file
 *
 * Written here because no linked library has it. The input may be added in parts of any size.
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/sha256_block.h"

#define TM_SHA256_BYTES (4 * TM_SHA256_WORDS)

struct tm_sha256 {
	uint32_t state[TM_SHA256_WORDS];
	uint64_t bytes; /* added so far */
	uint8_t block[TM_SHA256_BLOCK];
};

void tm_sha256_init(struct tm_sha256 *digest);
void tm_sha256_add(struct tm_sha256 *digest, const void *bytes, size_t count);
/* @digest needs tm_sha256_init before it is used again. */
void tm_sha256_end(struct tm_sha256 *digest, uint8_t ret_digest[TM_SHA256_BYTES]);
