/* SPDX-License-Identifier: Apache-2.0 */
/* percpu_counts - adds up the counters of all CPUs and levels */

#include <stdatomic.h>

#include "collector/percpu.h"

/* N1 (bpf/: taken, then its drop) -> N2: acquire, so that a drop is read before what was taken */
static uint64_t read_once(const uint64_t *counter)
{
	return atomic_load_explicit((const _Atomic uint64_t *)counter, memory_order_acquire);
}

/* For structures of such counters alone. */
static void add_all(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += read_once((const uint64_t *)from + i);
}

static void add_off_cpu_slot(struct tm_off_cpu_counts *counts, const struct tm_off_cpu_slot *slot)
{
	uint64_t nested = read_once(&slot->nested), nested_ns = read_once(&slot->nested_ns);
	uint64_t no_ring = read_once(&slot->no_ring), no_ring_ns = read_once(&slot->no_ring_ns);

	counts->drops[TM_DROP_NESTED] += nested;
	counts->drops_ns[TM_DROP_NESTED] += nested_ns;
	counts->drops[TM_DROP_NO_RING] += no_ring;
	counts->drops_ns[TM_DROP_NO_RING] += no_ring_ns;
	counts->taken += nested + no_ring;
	counts->taken_ns += nested_ns + no_ring_ns;
	add_all(&counts->seen, &slot->seen, sizeof(slot->seen));
}

void percpu_add_slot(struct tm_counts *counts, const struct tm_cpu_slot *slot)
{
	uint64_t nested = read_once(&slot->nested), no_ring = read_once(&slot->no_ring);

	counts->hits += read_once(&slot->hits);
	counts->drops[TM_DROP_NESTED] += nested;
	counts->drops[TM_DROP_NO_RING] += no_ring;
	counts->taken += nested + no_ring;
	counts->bpf.announce_lost += read_once(&slot->lost_announces);
	counts->bpf_ns += read_once(&slot->own_ns);
	add_off_cpu_slot(&counts->off_cpu, &slot->off_cpu);
}

void percpu_add_level(struct tm_counts *counts, const struct tm_level_counts *level)
{
	counts->drops[TM_DROP_RING_FULL] += read_once(&level->ring_full);
	counts->taken += read_once(&level->taken);
	counts->off_cpu.drops[TM_DROP_RING_FULL] += read_once(&level->off_cpu_full);
	counts->off_cpu.drops_ns[TM_DROP_RING_FULL] += read_once(&level->off_cpu_full_ns);
	counts->off_cpu.taken += read_once(&level->off_cpu);
	counts->off_cpu.taken_ns += read_once(&level->off_cpu_ns);
	add_all(&counts->bpf, &level->bpf, sizeof(level->bpf));
}

/* Return: samples whose way has ended. */
static uint64_t settled(uint64_t pushed, const uint64_t *drops)
{
	for (unsigned i = 0; i < TM_DROP_N; i++)
		pushed += drops[i];
	return pushed;
}

int64_t percpu_in_flight(const struct tm_counts *counts)
{
	const struct tm_off_cpu_counts *off_cpu = &counts->off_cpu;

	return (int64_t)(counts->taken - settled(counts->pushed, counts->drops) + off_cpu->taken -
			 settled(off_cpu->pushed, off_cpu->drops));
}

void percpu_count(const struct percpu *percpu, struct tm_counts *counts)
{
	for (unsigned i = 0; i < percpu->count; i++)
		for (unsigned level = 0; level < percpu->maps.levels; level++)
			percpu_add_level(counts, (const void *)(percpu->levels[i] +
								level * percpu->level_bytes));
	for (unsigned cpu = 0; cpu < percpu->maps.possible; cpu++)
		percpu_add_slot(counts, &percpu->slots[cpu]);
}

void percpu_leave_in_flight(struct tm_counts *counts)
{
	struct tm_off_cpu_counts *off_cpu = &counts->off_cpu;

	counts->taken = settled(counts->pushed, counts->drops);
	off_cpu->taken = settled(off_cpu->pushed, off_cpu->drops);
	off_cpu->taken_ns = settled(off_cpu->pushed_ns, off_cpu->drops_ns);
}
