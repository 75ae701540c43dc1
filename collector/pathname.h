/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pathname - packed path components, leaf first, into a relative path
 *
 * Trust      names of files are a profiled process's choice. The kernel makes none that holds a slash
 *            or is "." or ".."; one that does is refused before anybody opens it.
 */

#include <stddef.h>

/* @out: at least @bytes + 1 long. Return: length of the NUL-terminated path; 0: empty list;
 * -EBADMSG: a component that no kernel makes. */
int pathname_join(const char *packed, size_t bytes, char *out);
