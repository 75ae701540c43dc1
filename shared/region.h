/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * region - creates and opens sealed memfds that only one process can write
 *
 * Shape      three kinds. Own: the creator maps it writable, then seals F_SEAL_FUTURE_WRITE,
 *            SHRINK, GROW and SEAL; its mapping stays writable, and nobody can make another
 *            writable one. For the peer: sealed SHRINK, GROW and SEAL only, mapped read-only by the
 *            creator and writable by the receiver. Blob: finished bytes, sealed WRITE, SHRINK, GROW
 *            and SEAL.
 * Trust      the receiver checks seals and size before it maps. With a sealed size no access raises
 *            SIGBUS. Every page is allocated at creation, so that ENOSPC or ENOMEM show there and
 *            not as SIGBUS later.
 * Owner      struct tm_region owns the mapping and the descriptor until tm_region_close; a
 *            descriptor that was passed on may be closed earlier and set to -1.
 * Units      bytes.
 * Threads    any, on different regions. Memory order is the business of what lies in it
 *            (shared/ring.h).
 * Errors     -EBADMSG: a descriptor without the seals, or of another size; -errno. Nothing is taken
 *            then.
 * Source     memfd_create(2), fcntl(2) F_ADD_SEALS. That FUTURE_WRITE refuses new writable
 *            mappings, mprotect and write() is checked by tests/unit/shared/test_region.c.
 */

#include <stddef.h>

struct tm_region {
	void *addr;
	size_t bytes;
	int fd;
};
#define TM_REGION_NULL ((struct tm_region){NULL, 0, -1})

/* Own: writable here, read-only for whoever receives the descriptor. Return: 0, -errno. */
int tm_region_create(struct tm_region *region, const char *name, size_t bytes);
/* For the peer: read-only here, writable for the receiver. Return: 0, -errno. */
int tm_region_create_for_peer(struct tm_region *region, const char *name, size_t bytes);
/* Maps a received region of the first kind, read-only. @fd: taken on success. */
int tm_region_open(struct tm_region *region, int fd, size_t min_bytes, size_t max_bytes);
/* Maps a received region of the second kind, of exactly @bytes, writable. @fd: taken on success. */
int tm_region_open_writable(struct tm_region *region, int fd, size_t bytes);
/* Copies @bytes into a new blob. Return: its descriptor, -errno. */
int tm_region_seal_blob(const char *name, const void *bytes, size_t count);
/* A blob that is filled in place: zeroed and writable until tm_region_end_blob, which seals it, and
 * mapped read-only from then on. When that fails, the region is only to be closed.
 * Return: 0, -errno. */
int tm_region_begin_blob(struct tm_region *region, const char *name, size_t bytes);
int tm_region_end_blob(struct tm_region *region);
/* Maps a received blob, read-only. @fd: taken on success. */
int tm_region_open_blob(struct tm_region *region, int fd, size_t max_bytes);
/*
 * Copies a received blob into private memory by reading, without a mapping: a page that its owner
 * cannot provide is then an error and not a signal. @fd: stays the caller's. *ret_copy, of
 * *ret_bytes, is the caller's to free.
 */
int tm_region_copy_blob(int fd, size_t min_bytes, size_t max_bytes, void **ret_copy,
			size_t *ret_bytes);
/* Unmaps and closes; accepts TM_REGION_NULL. */
void tm_region_close(struct tm_region *region);

/* The steps that the files of this module share. */
#define TM_REGION_SEALS_SIZE (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define TM_REGION_SEALS_OWN  (TM_REGION_SEALS_SIZE | F_SEAL_FUTURE_WRITE)
#define TM_REGION_SEALS_BLOB (TM_REGION_SEALS_SIZE | F_SEAL_WRITE)
/* A memfd with every page allocated. Return: descriptor, -errno. */
int tm_region_reserve(const char *name, size_t bytes);
/* Whether @fd has the seals and a size within the bounds. Return: 0, -EBADMSG, -errno. */
int tm_region_check(int fd, int seals, size_t min_bytes, size_t max_bytes, size_t *ret_bytes);
/* Maps all of @fd; the mapping is neither inherited by children nor part of a core file.
 * @fd: taken on success. Return: 0, -errno; *region is unchanged then. */
int tm_region_map(struct tm_region *region, int fd, size_t bytes, int protection);
