/* SPDX-License-Identifier: Apache-2.0 */
/* owner - whose share of what all processes share one of them uses */

#include "symbolizer/profile/owner.h"

#include <string.h>

#define LEVELS 2u

size_t owner_bytes(const char *cgroup)
{
	const char *at = cgroup;

	for (unsigned level = 0; level < LEVELS && *at == '/'; level++)
		at += 1 + strcspn(at + 1, "/");
	return (size_t)(at - cgroup);
}
