/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * landlock - restricts the process to a few files and TCP ports, as far as the kernel can
 *
 * Files      beneath a granted path may be read, and no other. A path that does not exist is left
 *            out. A file is granted by its inode: one that is put in its place later is not
 *            readable.
 * Folder     regular files directly or deeper in it may be made, read, written, shortened and
 *            removed. Elsewhere nothing may be written or made, and nothing is executed anywhere.
 * Ports      TCP connections to these alone, and no listening: from Linux 6.7. Sockets in the
 *            abstract namespace and signals of other processes are out of reach from 6.12.
 * Threads    call from the only thread, after no_new_privs; later threads inherit it.
 * Errors     TM_LANDLOCK_E_NONE: the kernel, or the filter of a container, leaves no Landlock, and
 *            nothing is restricted; -errno.
 * Source     landlock(7), include/uapi/linux/landlock.h.
 */

#include <stddef.h>
#include <stdint.h>

enum {
	TM_LANDLOCK_E_NONE = 1,
};

struct tm_landlock_allowed {
	const char *const *paths; /* NULL-terminated; NULL: none */
	const int *folder;        /* descriptor of one; NULL: none */
	const uint16_t *ports;
	size_t port_count;
};

/* Return: 0, TM_LANDLOCK_E_NONE, -errno. */
int tm_landlock_enter(const struct tm_landlock_allowed *allowed);
