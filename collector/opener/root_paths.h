/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * root_paths - opens one of several paths below a root, without any capability
 *
 * Order      each path below the root of the sampled thread, then each below the opener's own.
 * Privileges root_paths_begin gives up every capability, for good: call it only in a worker.
 * Trust      the root's owner, who may be hostile, chooses what lies at a path: RESOLVE_IN_ROOT
 *            keeps symbolic links inside, and a file of any other user than root or the owner of
 *            the sampled file is refused, unless it is a perf map.
 */

#include "collector/opener/opener.h"

struct root_paths {
	const struct opener_request *request; /* borrowed */
	int roots[2];                         /* owned; negative: -errno */
	unsigned count;                       /* of what root_paths_open can be asked for */
};

/* Return: 0, -errno. */
int root_paths_begin(struct root_paths *paths, const struct opener_request *request);
/* @which: below paths->count. Return: as candidates_open; -EPERM: it belongs to somebody else. */
int root_paths_open(const struct root_paths *paths, unsigned which);
