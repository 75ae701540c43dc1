/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * nesting - one level of nested BPF programs on a CPU: its mark, scratch memory and ring
 *
 * The kind of a program is its level (enum tm_level): an interrupt that runs one ends before what
 * it interrupted goes on, and none interrupts its own kind. So a mark that is set shows that the
 * level is in use.
 * Order      first the mark is written, then a full barrier, then the ktime of the records is
 *            read. The collector reads the clock, then a full barrier, then the marks. So either
 *            the collector sees the mark, or the records are younger than its clock ("The
 *            watermark" in HACKING.md).
 */

#include "bpf/maps.h"

#define RING_RESERVE_SHIFT 3 /* an eighth of each ring is kept for announcements and exits */

/* How much of a ring may be full for a record to be written. */
enum nesting_share {
	NESTING_ALL,     /* announcements and exits */
	NESTING_SAMPLES, /* what announcements leave */
	NESTING_OFF_CPU, /* half of that: waits may come in far larger numbers than ticks */
};

/* A run of a program, for the time that the programs of this CPU have run. */
struct nesting_run {
	__u64 began;  /* ktime */
	__u64 before; /* their time until then */
};

struct nesting {
	struct tm_cpu_slot *slot;
	struct scratch *scratch;
	__u64 ktime; /* for the records of this level */
	struct nesting_run run;
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

static __always_inline void nesting_run_begin(struct nesting_run *run, struct tm_cpu_slot *slot,
					      __u64 now)
{
	run->before = *(volatile __u64 *)&slot->own_ns;
	run->began = now;
}

/* Adds the time since its beginning, but for what those have added that interrupted it, or that are
 * part of it. */
static __always_inline void nesting_run_end(const struct nesting_run *run, struct tm_cpu_slot *slot)
{
	__u64 inner = *(volatile __u64 *)&slot->own_ns - run->before;

	nesting_add(&slot->own_ns, bpf_ktime_get_ns() - run->began - inner);
}

static __always_inline struct scratch *nesting_scratch(__u32 number)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *levels = bpf_map_lookup_elem(&scratch, &cpu);

	return levels ? bpf_map_lookup_elem(levels, &number) : NULL;
}

static __always_inline void nesting_mark(struct tm_cpu_slot *slot, __u32 number, __u64 ktime)
{
	if (number < TM_LEVELS_N)
		*(volatile __u64 *)&slot->level[number].ktime = ktime;
}

/* Without scratch memory. nesting_close() must follow after NESTING_OPEN. */
static __always_inline int nesting_open_mark(struct nesting *level, enum tm_level number)
{
	struct tm_cpu_slot *slot = level->slot;
	__u64 before;

	level->number = number;
	if (*(volatile __u64 *)&slot->level[number].ktime)
		return NESTING_NESTED;
	if (!bpf_map_lookup_elem(&rings, &level->cpu))
		return NESTING_NO_RING;
	before = bpf_ktime_get_ns();
	nesting_mark(slot, number, before);
	nesting_add(&slot->level[number].ktime, 0); /* the barrier */
	level->ktime = bpf_ktime_get_ns();
	if (level->ktime < before)
		level->ktime = before;
	nesting_run_begin(&level->run, slot, before);
	return NESTING_OPEN;
}

/* Likewise, with scratch memory. */
static __always_inline int nesting_open(struct nesting *level, enum tm_level number)
{
	level->scratch = nesting_scratch(number);
	return level->scratch ? nesting_open_mark(level, number) : NESTING_NO_RING;
}

static __always_inline void nesting_close(struct nesting *level)
{
	asm volatile("" : : : "memory");
	nesting_run_end(&level->run, level->slot);
	nesting_mark(level->slot, level->number, 0);
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
