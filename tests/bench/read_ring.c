/* SPDX-License-Identifier: Apache-2.0 */
/* read_ring - reads many parts of one file by one io_uring submission */

#include "tests/bench/read_ring.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *map(int fd, size_t bytes, off_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
}

int read_ring_open(struct read_ring *ring)
{
	struct io_uring_params params = {0};
	char *submit, *complete;

	ring->fd = (int)syscall(SYS_io_uring_setup, READ_RING_ENTRIES, &params);
	if (ring->fd < 0)
		return -errno;
	submit = map(ring->fd, params.sq_off.array + params.sq_entries * sizeof(uint32_t),
		     IORING_OFF_SQ_RING);
	complete =
		map(ring->fd, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		    IORING_OFF_CQ_RING);
	ring->entries =
		map(ring->fd, params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	if (submit == MAP_FAILED || complete == MAP_FAILED || ring->entries == MAP_FAILED)
		return -errno;
	ring->submit_tail = (void *)(submit + params.sq_off.tail);
	ring->submit_mask = (void *)(submit + params.sq_off.ring_mask);
	ring->submit_array = (void *)(submit + params.sq_off.array);
	ring->complete_head = (void *)(complete + params.cq_off.head);
	ring->complete_tail = (void *)(complete + params.cq_off.tail);
	ring->complete_mask = (void *)(complete + params.cq_off.ring_mask);
	ring->results = (void *)(complete + params.cq_off.cqes);
	return 0;
}

static void submit(struct read_ring *ring, int fd, const struct read_part *parts, uint32_t count)
{
	uint32_t tail = *ring->submit_tail;

	for (uint32_t i = 0; i < count; i++, tail++) {
		uint32_t at = tail & *ring->submit_mask;

		ring->entries[at] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
							  .fd = fd,
							  .addr = (uintptr_t)parts[i].to,
							  .len = (uint32_t)parts[i].bytes,
							  .off = parts[i].offset,
							  .user_data = i};
		ring->submit_array[at] = at;
	}
	/* the kernel's acquire of the tail sees the entries */
	atomic_store_explicit((_Atomic uint32_t *)ring->submit_tail, tail, memory_order_release);
}

/* Return: 0, -errno, -EIO. */
static int complete(struct read_ring *ring, const struct read_part *parts)
{
	uint32_t head = *ring->complete_head;
	/* the kernel's release of the tail comes after the results */
	uint32_t tail =
		atomic_load_explicit((_Atomic uint32_t *)ring->complete_tail, memory_order_acquire);
	int r = 0;

	for (; head != tail; head++) {
		const struct io_uring_cqe *result = &ring->results[head & *ring->complete_mask];

		if (result->res < 0)
			r = result->res;
		else if ((uint64_t)result->res != parts[result->user_data].bytes)
			r = -EIO;
	}
	/* the kernel's acquire of the head lets it write there again */
	atomic_store_explicit((_Atomic uint32_t *)ring->complete_head, head, memory_order_release);
	return r;
}

int read_ring_read(struct read_ring *ring, int fd, const struct read_part *parts, uint32_t count)
{
	int r = 0;

	for (uint32_t done = 0; r == 0 && done < count; done += READ_RING_ENTRIES) {
		uint32_t now = count - done < READ_RING_ENTRIES ? count - done : READ_RING_ENTRIES;

		submit(ring, fd, parts + done, now);
		if (syscall(SYS_io_uring_enter, ring->fd, now, now, IORING_ENTER_GETEVENTS, NULL,
			    0) < 0)
			return -errno;
		r = complete(ring, parts + done);
	}
	return r;
}
