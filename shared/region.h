/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * region - memfds whose writer is fixed for life
 *
 * Shape      the owner creates, reserves every page at once (ENOSPC and ENOMEM at start, never
 *            SIGBUS later), maps it writable, then seals F_SEAL_FUTURE_WRITE|SHRINK|GROW|SEAL: its own
 *            mapping goes on writing, nobody can make another writable one. The peer checks seals and
 *            size before it maps.
 * Reader     the reader page is created by the collector and must stay writable to the symbolizer,
 * page       so it is sealed SHRINK|GROW|SEAL only; the collector maps it read-only.
 * Owns       map_bytes at addr; the descriptor, until passed on and closed.
 * Source     memfd_create(2), fcntl(2) F_ADD_SEALS; seal verdicts: reference/security.md 0.8.
 */

#include <stddef.h>

struct tm_region {
	void *addr;
	size_t bytes;
	int fd;
};
#define TM_REGION_NULL ((struct tm_region){NULL, 0, -1})

/* One writer here, read-only for whoever receives the descriptor. Return: 0, -errno. */
int tm_region_create(struct tm_region *region, const char *name, size_t bytes);
/* Written by the receiver, mapped read-only here. Return: 0, -errno. */
int tm_region_create_for_peer(struct tm_region *region, const char *name, size_t bytes);
/* Checks FUTURE_WRITE|SHRINK|GROW|SEAL and the size range, maps read-only; takes fd on success.
 * Return: 0, -EBADMSG, -errno. */
int tm_region_open(struct tm_region *region, int fd, size_t min_bytes, size_t max_bytes);
/* Checks SHRINK|GROW|SEAL and the exact size, maps writable; takes fd on success. */
int tm_region_open_writable(struct tm_region *region, int fd, size_t bytes);
/* A finished blob: copies, then seals WRITE|SHRINK|GROW|SEAL. Return: descriptor or -errno. */
int tm_region_seal_blob(const char *name, const void *bytes, size_t count);
/* Maps a received blob read-only after checking all four seals. Return: 0, -EBADMSG, -errno. */
int tm_region_open_blob(struct tm_region *region, int fd, size_t max_bytes);
/* Copies a received blob into private memory, read and never mapped: reading a page that a hostile owner cannot
 * provide is an error, touching it a signal. @fd: stays the caller's. Return: 0 and *ret_copy, the
 * caller's to free, *ret_bytes long; -EBADMSG: not all four seals, or not of that size; -errno. */
int tm_region_copy_blob(int fd, size_t min_bytes, size_t max_bytes, void **ret_copy,
			size_t *ret_bytes);
/* Unmaps and closes; total. */
void tm_region_close(struct tm_region *region);
