/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hash - a keyed hash, so that nobody who chooses names or stacks can choose collisions
 *
 * SipHash-1-3 over bytes, seeded from the kernel once per life. Equality is always compared too.
 */

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
	uint64_t key[2];
};

/* Return: 0, -errno. */
int hash_seed_init(struct hash_seed *seed);
uint32_t hash_bytes(const struct hash_seed *seed, const void *bytes, size_t count);
