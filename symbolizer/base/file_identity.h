/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_identity - whether the file of a descriptor is in the state that the kernel announced
 *
 * Compared   size, mtime and ctime: device and inode differ from the kernel's on overlayfs and
 *            btrfs, and the collector has compared them. Whoever reads a file compares before and
 *            after: struct tm_identity says what that proves.
 * Blocking   never: a network file system is not asked (AT_STATX_DONT_SYNC).
 */

#include <stdbool.h>

#include "shared/event.h"

bool file_identity_holds(const struct tm_identity *identity, int fd);
/* Whether @fd is open for reading, and of a regular file. */
bool file_identity_is_readable(int fd);
/* Whether the file of @fd has a name. */
bool file_identity_is_linked(int fd);
