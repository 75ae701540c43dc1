/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * candidates - opens a sampled file by one of several paths
 *
 * Order      0: the path beneath the thread's own root; 1: the mapping itself (/proc/PID/map_files,
 *            which needs capabilities); 2 and 3: the path beneath the root of PID 1 or of the
 *            opener, if the mount namespace is the same. Afterwards the kernel is asked whether it
 *            is the sampled file.
 * Hazard     each may block for ever on a hung mount: call it only in a worker that can be
 *            abandoned.
 * Owner      the descriptor is the caller's.
 */

#include "collector/opener/opener.h"

#define CANDIDATES_N 4

/* @which: below CANDIDATES_N. Return: descriptor of a regular file, open for reading; -ESRCH: there
 * is no such path; -EMEDIUMTYPE: it is no regular file; -errno. */
int candidates_open(unsigned which, const struct opener_request *request);
/* Return: the reason for a -errno of candidates_open. */
enum tm_no_file candidates_reason(int error);
