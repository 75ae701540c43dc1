/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * owner - whose share of what all processes share one of them uses
 *
 * Owner      a cgroup, down to its second level: a service, a user's slice, a pod; in it root, and
 *            all others. Who may make cgroups there is not told apart by those he makes. A path
 *            whose begin is not known is everybody's whose is so.
 */

#include <stddef.h>
#include <stdint.h>

/* @cgroup: a path from the root of the hierarchy. Return: bytes of it that name the owner. */
size_t owner_bytes(const char *cgroup);

/* @cgroup: string of that name. Return: a number that no other owner has; never 0. */
static inline uint64_t owner_key(uint32_t cgroup, uint32_t euid)
{
	return ((uint64_t)cgroup << 1 | (euid == 0)) + 1;
}
