/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * path - packed components (shared/event.h) made into a path that may be opened
 *
 * Trust      names are a profiled process's choice; the kernel makes none that holds a slash or is "." or
 *            "..". Whoever only shows a path need not be as strict.
 */

#include <stddef.h>

/*
 * Leaf first, into a relative path: "ls\0bin\0usr\0" is "usr/bin/ls". @out: at least @bytes + 1 long.
 * Return: length of the NUL-terminated path; 0: empty list; -EBADMSG: a component that no kernel makes.
 */
int tm_path_join(const char *packed, size_t bytes, char *out);
