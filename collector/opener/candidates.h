/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * candidates - the ways to a sampled file, each tried in turn
 *
 * Order      the path beneath the thread's own root; the mapping itself (map_files, with the opt-in
 *            capabilities); the path beneath PID 1's root or beneath ours, where the mount namespace
 *            is the same. Whichever it is, the kernel is asked afterwards whether it is the file.
 * Hazard     any of these may block for ever on a hung mount: call only in a disposable worker.
 */

#include "collector/opener/opener.h"

#define CANDIDATES_N 4

/* Return: an open, readable, regular file; -errno: ESRCH where the way does not exist,
 * EMEDIUMTYPE where it leads to something that is no regular file. */
int candidates_open(unsigned which, const struct opener_request *request);
/* The reason behind a -errno of candidates_open. */
enum tm_no_file candidates_reason(int error);
