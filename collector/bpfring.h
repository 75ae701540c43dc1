/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * bpfring - reads one BPF ring buffer, or the samples of a level (shared/bpf_state.h), up to a
 *           position that was noted before
 *
 * Shape      the kernel's mapping: one page with our position (read-write), one page with the
 *            producers' position, then the data twice in a row (read-only). Records: 8-byte header
 *            (length with a busy and a discard bit, page offset), then the bytes, 8-aligned.
 * Why        libbpf's reader runs until the ring is empty; the watermark needs one that stops at
 *            the positions noted after the marks were read.
 * Order      P1 (kernel) store-release producer position -> P2 load-acquire
 *            S1 (bpf/sample.bpf.h) store of a level's position -> P2
 *            C1 (kernel) store-release record length     -> C2 load-acquire
 *            F1 store-release consumer position          -> (kernel) load-acquire
 * Owner      the mappings belong to struct bpfring from bpfring_open to bpfring_close.
 * Threads    one reader. No allocation, no wait.
 * Errors     BPFRING_E_EMPTY (the noted position is reached), BPFRING_E_BUSY (an unfinished record
 *            blocks the ring for this round), -EBADMSG (a record that does not fit was skipped, or
 *            an impossible header made it skip everything up to the noted position).
 * Source     kernel/bpf/ringbuf.c; include/uapi/linux/bpf.h, BPF_RINGBUF_*.
 */

#include <stdatomic.h>
#include <stdint.h>

enum {
	BPFRING_E_EMPTY = 1,
	BPFRING_E_BUSY = 2,
};

struct bpfring {
	_Atomic uint64_t *consumer;
	const _Atomic uint64_t *producer;
	const uint8_t *data;
	uint64_t bytes; /* of data, power of two */
	uint64_t head_pos;
	uint64_t *drained; /* the caller's: where it notes how far it has come */
};

/* Reads a ring in memory that is mapped already; it stays the caller's. */
void bpfring_init(struct bpfring *ring, void *consumer, const void *producer, const void *data,
		  uint64_t bytes);
/* Maps the ring of @map_fd, @bytes of data. Return: 0, -errno. */
int bpfring_open(struct bpfring *ring, int map_fd, uint64_t bytes);
void bpfring_close(struct bpfring *ring);

/* Return: the producers' position (P2). */
uint64_t bpfring_position(const struct bpfring *ring);
/* Copies the next record below @limit_pos into @buffer. Return: 0, BPFRING_E_EMPTY, BPFRING_E_BUSY,
 * -EBADMSG. */
int bpfring_next(struct bpfring *ring, uint64_t limit_pos, void *buffer, uint32_t buffer_bytes,
		 uint32_t *ret_bytes);
/* Lets the kernel overwrite what was read (F1). */
void bpfring_commit(struct bpfring *ring);
