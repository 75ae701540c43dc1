/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * path - converts packed names (components leaf first, each ended by a NUL) to a path
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"

#define PATH_TEXT_BYTES (TM_PATH_MAX + 8)

/*
 * @flags: with TM_PATH_UNNAMED the result is the name alone, without a slash; with the bit @cut,
 * the root end is missing and the result begins with ".../". Any bytes are accepted.
 * Return: the length of @text, without its NUL.
 */
size_t path_unpack(const char *packed, size_t bytes, uint32_t flags, uint32_t cut,
		   char text[PATH_TEXT_BYTES]);
/* Return: the last component of a path; the whole path if it has no slash. */
const char *path_base(const char *path);
