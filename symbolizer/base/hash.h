/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hash - a keyed hash: whoever chooses names or stacks cannot choose collisions
 *
 * SipHash-1-3 over bytes; the kernel gives the seed once per process. Users of a hash also compare
 * the hashed bytes themselves.
 */

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
	uint64_t key[2];
};

/* Return: 0, -errno. */
int hash_seed_init(struct hash_seed *seed);
uint32_t hash_bytes(const struct hash_seed *seed, const void *bytes, size_t count);
