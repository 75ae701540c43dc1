/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * nesting - one level of nested BPF programs on a CPU: its mark, scratch memory and ring
 *
 * Programs on one CPU nest strictly: an interrupt ends before the interrupted program continues.
 * So a counter gives each program its own level.
 * Order      first the mark is written, then a full barrier, then the ktime of the records is
 *            read. The collector reads the clock, then a full barrier, then the marks. So either
 *            the collector sees the mark, or the records are younger than its clock ("The
 *            watermark" in HACKING.md).
 */

#include "bpf/maps.h"

#define RING_RESERVE_SHIFT 3 /* an eighth of each ring is kept for announcements and exits */

/* The programs add up for how long they run: the collector's governor wants to know. */
const volatile bool own_clock = false;

/* How much of a ring may be full for a record to be written. */
enum nesting_share {
	NESTING_ALL,     /* announcements and exits */
	NESTING_SAMPLES, /* what announcements leave */
	NESTING_OFF_CPU, /* half of that: waits may come in far larger numbers than ticks */
};

struct nesting {
	struct tm_cpu_slot *slot;
	struct scratch *scratch;
	__u64 ktime; /* for the records of this level */
	__u32 number;
	__u32 cpu;
};

enum nesting_status {
	NESTING_OPEN,
	NESTING_NESTED,
	NESTING_NO_RING
};

/*
 * `lock add` on x86-64: the addition, and a full barrier, which the compiler must not remove. The
 * second form is for the unit tests, which build these files for user space.
 */
static __always_inline void nesting_add(void *counter, __u64 value)
{
#ifdef __bpf__
	asm volatile("lock *(u64 *)(%0 + 0) += %1" : : "r"(counter), "r"(value) : "memory");
#else
	__atomic_fetch_add((__u64 *)counter, value, __ATOMIC_SEQ_CST);
#endif
}

static __always_inline struct tm_cpu_slot *nesting_slot(__u32 cpu)
{
	return bpf_map_lookup_elem(&cpu_slots, &cpu);
}

static __always_inline struct scratch *nesting_scratch(__u32 number)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *levels = bpf_map_lookup_elem(&scratch, &cpu);

	return levels ? bpf_map_lookup_elem(levels, &number) : NULL;
}

static __always_inline void nesting_mark(struct tm_cpu_slot *slot, __u32 number, __u64 ktime)
{
	if (number < TM_NESTING_LEVELS)
		*(volatile __u64 *)&slot->level[number].ktime = ktime;
}

/* nesting_close() must follow, except after NESTING_NESTED. */
static __always_inline int nesting_open(struct nesting *level)
{
	struct tm_cpu_slot *slot = level->slot;
	__u64 before, depth;

	depth = *(volatile __u64 *)&slot->depth;
	if (depth >= TM_NESTING_LEVELS)
		return NESTING_NESTED;
	nesting_add(&slot->depth, 1);
	level->number = (__u32)depth;
	level->scratch = nesting_scratch(level->number);
	if (!level->scratch || !bpf_map_lookup_elem(&rings, &level->cpu))
		return NESTING_NO_RING;
	before = bpf_ktime_get_ns();
	nesting_mark(slot, level->number, before);
	nesting_add(&slot->depth, 0); /* the barrier */
	level->ktime = bpf_ktime_get_ns();
	if (level->ktime < before)
		level->ktime = before;
	return NESTING_OPEN;
}

/*
 * The own clock runs from the level's ktime, which a CPU without a ring has not; the time of a
 * program that interrupts another one counts as both's.
 */
static __always_inline void nesting_close(struct nesting *level)
{
	asm volatile("" : : : "memory");
	if (own_clock && level->ktime)
		nesting_add(&level->slot->own_ns, bpf_ktime_get_ns() - level->ktime);
	nesting_mark(level->slot, level->number, 0);
	nesting_add(&level->slot->depth, -1ull);
}

/*
 * Writes to this CPU's ring.
 * @wakeup: BPF_RB_NO_WAKEUP, or BPF_RB_FORCE_WAKEUP to make the collector read at once.
 */
static __always_inline bool nesting_write(void *record, __u32 bytes, enum nesting_share share,
					  __u64 wakeup)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 size;

	if (!ring)
		return false;
	if (share != NESTING_ALL) {
		size = bpf_ringbuf_query(ring, BPF_RB_RING_SIZE);
		size -= size >> RING_RESERVE_SHIFT;
		if (share == NESTING_OFF_CPU)
			size >>= 1;
		if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + bytes > size)
			return false;
	}
	return !bpf_ringbuf_output(ring, record, bytes, wakeup);
}
