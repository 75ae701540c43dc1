/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer - writes to one file at a time and makes it durable, by io_uring or by system calls
 */

#include "symbolizer/spool/writer.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES 2u
#define FILE_AT 0 /* of the registered files, the only one */

/* The library of Debian 12 declares the wrapper of this, and leaves it out. Return: 0, -errno. */
static int register_with(const struct io_uring *ring, unsigned what, const void *argument,
			 unsigned count)
{
	return syscall(SYS_io_uring_register, ring->ring_fd, what, argument, count) < 0 ? -errno
											: 0;
}

/* No operation but these two, and neither on a descriptor that is not registered. */
static int restrict_ring(const struct io_uring *ring)
{
	const struct io_uring_restriction restrictions[] = {
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_WRITE},
		{.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_FSYNC},
		{.opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED, .sqe_flags = IOSQE_FIXED_FILE},
		{.opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED, .sqe_flags = IOSQE_FIXED_FILE},
		{.opcode = IORING_RESTRICTION_REGISTER_OP,
		 .register_op = IORING_REGISTER_FILES_UPDATE},
	};

	return register_with(ring, IORING_REGISTER_RESTRICTIONS, restrictions,
			     sizeof(restrictions) / sizeof(restrictions[0]));
}

static int make_ring(struct io_uring *ring)
{
	struct io_uring_params params = {.flags = IORING_SETUP_R_DISABLED};
	const int none = -1;
	int r = io_uring_queue_init_params(ENTRIES, ring, &params);

	if (r < 0)
		return r;
	r = register_with(ring, IORING_REGISTER_FILES, &none, 1);
	if (r == 0)
		r = restrict_ring(ring);
	if (r == 0)
		r = register_with(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
	if (r < 0)
		io_uring_queue_exit(ring);
	return r;
}

void writer_init(struct writer *writer, bool without_ring)
{
	*writer = (struct writer){.fd = -1};
	writer->has_ring = !without_ring && make_ring(&writer->ring) == 0;
}

int writer_set_file(struct writer *writer, int fd)
{
	int r;

	writer->fd = -1;
	if (writer->has_ring) {
		r = io_uring_register_files_update(&writer->ring, FILE_AT, &fd, 1);
		if (r < 0)
			return r;
	}
	writer->fd = fd;
	return 0;
}

/* Return: what the operation returned, -errno. */
static int run(struct writer *writer)
{
	struct io_uring_cqe *cqe;
	int r;

	do
		r = io_uring_submit_and_wait(&writer->ring, 1);
	while (r == -EINTR);
	if (r < 0)
		return r;
	do
		r = io_uring_wait_cqe(&writer->ring, &cqe);
	while (r == -EINTR);
	if (r < 0)
		return r;
	r = cqe->res;
	io_uring_cqe_seen(&writer->ring, cqe);
	return r;
}

/* Return: bytes, -errno. */
static ssize_t write_once(struct writer *writer, const void *bytes, size_t count, uint64_t at)
{
	struct io_uring_sqe *sqe;

	if (!writer->has_ring) {
		ssize_t n = pwrite(writer->fd, bytes, count, (off_t)at);

		return n < 0 ? -errno : n;
	}
	sqe = io_uring_get_sqe(&writer->ring);
	if (!sqe)
		return -EBUSY;
	io_uring_prep_write(sqe, FILE_AT, bytes, (unsigned)count, at);
	sqe->flags = IOSQE_FIXED_FILE;
	return run(writer);
}

int writer_write(struct writer *writer, const void *bytes, size_t count, uint64_t at)
{
	const char *from = bytes;

	while (count) {
		ssize_t n = write_once(writer, from, count, at);

		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n <= 0)
			return n < 0 ? (int)n : -ENOSPC;
		from += n;
		at += (uint64_t)n;
		count -= (size_t)n;
	}
	return 0;
}

int writer_sync(struct writer *writer)
{
	struct io_uring_sqe *sqe;

	if (writer->fd < 0)
		return 0;
	if (!writer->has_ring)
		return fdatasync(writer->fd) < 0 ? -errno : 0;
	sqe = io_uring_get_sqe(&writer->ring);
	if (!sqe)
		return -EBUSY;
	io_uring_prep_fsync(sqe, FILE_AT, IORING_FSYNC_DATASYNC);
	sqe->flags = IOSQE_FIXED_FILE;
	return run(writer);
}

void writer_deinit(struct writer *writer)
{
	if (writer->has_ring)
		io_uring_queue_exit(&writer->ring);
	*writer = (struct writer){.fd = -1};
}
