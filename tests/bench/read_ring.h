/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * read_ring - reads many parts of one file by one io_uring submission
 *
 * Shape      the kernel's rings as struct io_uring_params describes them (io_uring(7),
 *            include/uapi/linux/io_uring.h), mapped; one system call for each READ_RING_ENTRIES
 *            parts, which waits for all of them.
 */

#include <linux/io_uring.h>
#include <stdint.h>

#define READ_RING_ENTRIES 64

struct read_part {
	uint64_t offset;
	uint64_t bytes;
	void *to;
};

struct read_ring {
	int fd;
	uint32_t *submit_tail, *submit_mask, *submit_array;
	uint32_t *complete_head, *complete_tail, *complete_mask;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *results;
};

/* Return: 0, -errno. */
int read_ring_open(struct read_ring *ring);
/* Return: 0, -errno, -EIO: fewer bytes than asked for. */
int read_ring_read(struct read_ring *ring, int fd, const struct read_part *parts, uint32_t count);
