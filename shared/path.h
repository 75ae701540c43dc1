/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * path - unpacks the packed paths of records
 *
 * Shape      packed (shared/event.h): components leaf first, each with its NUL: "ls\0bin\0usr\0".
 *            Unpacked: root first, joined by slashes, relative: "usr/bin/ls".
 * Trust      a profiled process chooses the names. The kernel makes no component that is empty, is
 *            "." or "..", or has a slash in it, so a path that is to be opened must be plain; one
 *            that is only shown need not be.
 * Limits     none of its own; TM_PATH_MAX bounds what records carry.
 */

#include <stdbool.h>
#include <stddef.h>

/* Whether each component is one that the kernel makes, with its NUL; an empty path is plain. */
bool tm_path_is_plain(const char *packed, size_t bytes);
/*
 * Unpacks any bytes, plain or not. @out: at least @bytes + 1 long, not overlapping @packed.
 * Return: length of *out without its NUL; 0: the empty path, which is the root.
 */
size_t tm_path_join(const char *packed, size_t bytes, char *out);
