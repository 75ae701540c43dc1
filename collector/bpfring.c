/* SPDX-License-Identifier: Apache-2.0 */
/* bpfring - reads one BPF ring buffer, or a ring like it, up to a position that was noted before */

#include "collector/bpfring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void bpfring_init(struct bpfring *ring, void *consumer, const void *producer, const void *data,
		  uint64_t bytes)
{
	*ring = (struct bpfring){
		.consumer = consumer, .producer = producer, .data = data, .bytes = bytes};
	/* relaxed: only this process writes it */
	ring->head_pos = atomic_load_explicit(ring->consumer, memory_order_relaxed);
}

int bpfring_open(struct bpfring *ring, int map_fd, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;
	int r;

	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (producer == MAP_FAILED) {
		r = -errno;
		(void)munmap(consumer, page);
		return r;
	}
	bpfring_init(ring, consumer, producer, (uint8_t *)producer + page, bytes);
	return 0;
}

void bpfring_close(struct bpfring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->consumer) {
		(void)munmap(ring->consumer, page);
		(void)munmap((void *)(uintptr_t)ring->producer, page + 2 * ring->bytes);
	}
	*ring = (struct bpfring){0};
}

uint64_t bpfring_position(const struct bpfring *ring)
{
	return atomic_load_explicit(ring->producer, memory_order_acquire); /* P1, S1 -> P2 */
}

/* The first 4 bytes of the record's header: its length and the two bits. */
static uint32_t header_at(const struct bpfring *ring, uint64_t pos)
{
	const _Atomic uint32_t *length = (const void *)(ring->data + (pos & (ring->bytes - 1)));

	return atomic_load_explicit(length, memory_order_acquire); /* C1 -> C2 */
}

int bpfring_next(struct bpfring *ring, uint64_t limit_pos, void *buffer, uint32_t buffer_bytes,
		 uint32_t *ret_bytes)
{
	while (ring->head_pos != limit_pos) {
		uint64_t left = limit_pos - ring->head_pos;
		bool possible = left <= ring->bytes && left >= BPF_RINGBUF_HDR_SZ;
		uint32_t header = possible ? header_at(ring, ring->head_pos) : 0, bytes;
		const uint8_t *record;
		uint64_t step;

		if (header & BPF_RINGBUF_BUSY_BIT)
			return BPFRING_E_BUSY;
		bytes = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		step = ((uint64_t)bytes + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		if (!possible || step > left) {
			ring->head_pos = limit_pos;
			return -EBADMSG;
		}
		record = ring->data + (ring->head_pos & (ring->bytes - 1)) + BPF_RINGBUF_HDR_SZ;
		ring->head_pos += step;
		if (header & BPF_RINGBUF_DISCARD_BIT)
			continue;
		if (bytes > buffer_bytes)
			return -EBADMSG;
		memcpy(buffer, record, bytes);
		*ret_bytes = bytes;
		return 0;
	}
	return BPFRING_E_EMPTY;
}

void bpfring_commit(struct bpfring *ring)
{
	atomic_store_explicit(ring->consumer, ring->head_pos, memory_order_release); /* F1 */
}
