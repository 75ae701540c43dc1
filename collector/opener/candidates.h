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

#include <stdbool.h>

#include "collector/opener/opener.h"

#define CANDIDATES_N 4

/* @which: below CANDIDATES_N. Return: descriptor of a regular file, open for reading; -ESRCH: there
 * is no such path; -EMEDIUMTYPE: it is no regular file; -errno. */
int candidates_open(unsigned which, const struct opener_request *request);
/* The root of @process, a number or "self". @other: only if it is in the mount namespace of the
 * request. Return: descriptor (O_PATH), -ESRCH, -errno. */
int candidates_root(const char *process, bool other, const struct opener_request *request);
/* Finds @path beneath @root, and nothing outside it. @flags, @resolve: further ones of openat2(2).
 * Return: descriptor (O_PATH), -errno. */
int candidates_locate(int root, const char *path, uint64_t flags, uint64_t resolve);
/* Opens for reading what @located (O_PATH) stands for, once it is known to be a regular file.
 * Return: as candidates_open. */
int candidates_reopen(int located);
/* Return: the reason for a -errno of candidates_open. */
enum tm_no_file candidates_reason(int error);
