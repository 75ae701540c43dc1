/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * writer - writes to one file at a time and makes it durable, by io_uring or by system calls
 *
 * Ring       made before the sandbox, and restricted by the kernel to writing and syncing the one
 *            registered file; so the filter allows neither call, and no other operation passes by
 *            it. Where the kernel has no io_uring, or it is turned off (kernel.io_uring_disabled),
 *            pwrite(2) and fdatasync(2) do the same.
 * Errors     -errno of the operation; what was written of it before stays.
 * Source     io_uring_register(2), IORING_REGISTER_RESTRICTIONS.
 */

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	struct io_uring ring; /* if has_ring */
	bool has_ring;
	int fd; /* borrowed; -1: none */
};

/* @without_ring: does not even try to make one. Never fails. */
void writer_init(struct writer *writer, bool without_ring);
/* @fd: -1: none. Return: 0, -errno: there is no file then. */
int writer_set_file(struct writer *writer, int fd);
/* Return: 0, -errno. */
int writer_write(struct writer *writer, const void *bytes, size_t count, uint64_t at);
int writer_sync(struct writer *writer);
void writer_deinit(struct writer *writer);
