/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * path - packed names (components leaf first, each closed by a NUL) made into a path
 */

#include <stddef.h>
#include <stdint.h>

#include "shared/event.h"

#define PATH_TEXT_BYTES (TM_PATH_MAX + 8)

/*
 * @flags: TM_PATH_UNNAMED: the name alone, without a slash; @cut: the root end is missing, shown
 * as ".../". Total for any bytes. Return: length written to @text, without its NUL.
 */
size_t path_unpack(const char *packed, size_t bytes, uint32_t flags, uint32_t cut,
		   char text[PATH_TEXT_BYTES]);
/* The last component of a path; the whole for one without a slash. */
const char *path_base(const char *path);
