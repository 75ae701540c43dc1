/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * percpu - perf event, BPF ring and scratch memory of each sampled CPU
 *
 * Shape      rings and scratch are inner maps, made here and stored under the CPU's number; their
 *            outer maps, and the array of slots, have an element for each possible CPU.
 * Hotplug    the event of a CPU that goes offline stops for good. When the CPU comes back the
 *            command sends a new event, and the CPU's ring and scratch are used again.
 * Owner      struct percpu owns events, mappings and arrays; the outer maps belong to the loader.
 * Threads    one. Order: N2 (percpu.c) reads counters that BPF programs write (N1).
 * Limits     a ring holds PERCPU_RING_SECONDS of deep stacks of the timer, and its part of the
 *            off-CPU samples of a second, within PERCPU_RING_MIN to PERCPU_RING_MAX bytes, or what
 *            is its part of PERCPU_RINGS_BYTES if that is less, unless the command sets its size.
 * NUMA       ring and scratch are in the memory of the CPU's node, if the command has said which;
 *            of a CPU that comes later they are where the kernel likes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/bpfring.h"
#include "collector/kept.h"
#include "collector/options.h"
#include "collector/percpu_event.h"
#include "shared/bpf_state.h"
#include "shared/wire.h"

#define PERCPU_SAMPLE_BYTES 1024u /* of a stack of 120 frames */
#define PERCPU_RING_SECONDS 4u
#define PERCPU_RING_MIN     (256u << 10)
#define PERCPU_RING_MAX     (4u << 20)
#define PERCPU_RINGS_BYTES  (12u << 20) /* of all CPUs */

struct percpu_maps { /* descriptors and value sizes of the outer maps */
	int slots;
	int rings;
	int scratch;
	size_t level_bytes; /* of one level, unpadded */
	unsigned levels;    /* that have scratch memory: enum tm_level */
	unsigned possible;
};

struct percpu {
	struct percpu_maps maps;
	struct kept *kept;         /* borrowed */
	struct tm_cpu_slot *slots; /* of all possible CPUs */
	unsigned count; /* CPUs sampled so far; the arrays have an element for each possible CPU */
	struct percpu_event *events;
	uint64_t owed_before; /* by events that were replaced */
	uint64_t period_ns;   /* of the recording; an event's is 2^shift of it */
	unsigned shift;
	uint8_t **levels; /* their scratch, one level after the other, level_bytes apart */
	size_t level_bytes;
	struct bpfring *rings; /* of each CPU its BPF ring and that of each level: percpu_rings() */
	uint64_t ring_bytes;
	int wake;           /* epoll descriptor: readable when a ring wakes us */
	uint64_t map_bytes; /* memory of the inner maps */
};

/* Ring and scratch memory of a CPU, on this node of its memory. Return: descriptor of the map; -1
 * and errno. */
int percpu_make_ring(uint32_t bytes, unsigned node);
int percpu_make_levels(const struct percpu_maps *maps, unsigned node);
/* Return: rings of so many CPUs. */
static inline unsigned percpu_rings(const struct percpu *percpu, unsigned cpus)
{
	return cpus * (1 + percpu->maps.levels);
}

/* Return: bytes of one CPU's BPF ring, a power of two. */
uint64_t percpu_ring_bytes(const struct options *options);
/* Return: 0, -errno. */
int percpu_open(struct percpu *percpu, const struct percpu_maps *maps, struct options *options);
void percpu_close(struct percpu *percpu);
/* One ioctl for all events: SET_BPF with our program, ENABLE, or DISABLE, after which no hit is
 * running any more. Return: 0, -errno of the first that failed. */
int percpu_ioctl(const struct percpu *percpu, unsigned long request, int argument);
/* Samples a CPU that came online, from now on if @on. @fd: its event, disabled; taken on success.
 * Return: 0, -errno. */
int percpu_add_cpu(struct percpu *percpu, uint64_t cpu, int fd, int program_fd, bool on);
/* @on: the events are. Return: 0, -errno of the first event that failed. */
int percpu_set_shift(struct percpu *percpu, unsigned shift, bool on);
/* Makes @wake unreadable until the next wake-up. Return: whether there was one. */
bool percpu_clear_wake(const struct percpu *percpu);
/* Return: hits that the events of all CPUs owe so far. */
uint64_t percpu_owed(struct percpu *percpu);
/* Each adds one CPU slot, one nesting level; then those of all CPUs. Call after the round's drain:
 * then taken >= pushed + drops, and equal once sampling is over and the rings are empty. */
void percpu_add_slot(struct tm_counts *counts, const struct tm_cpu_slot *slot);
void percpu_add_level(struct tm_counts *counts, const struct tm_level_counts *level);
void percpu_count(const struct percpu *percpu, struct tm_counts *counts);
/* Notes how far each ring was drained, in the one of two places (tm_cpu_slot), or goes on there. */
void percpu_note_drained(const struct percpu *percpu, unsigned place);
void percpu_set_drained(const struct percpu *percpu, unsigned place);
/* Has the events kept. */
void percpu_keep_events(const struct percpu *percpu);
/* Events that count already: what they owe from now on comes on top of @owed. */
void percpu_adopt_events(struct percpu *percpu, uint64_t owed);
/* Counts what is in the BPF rings as not taken yet. */
void percpu_leave_in_flight(struct tm_counts *counts);
/* Return: taken - pushed - drops: samples still in the BPF rings. */
int64_t percpu_in_flight(const struct tm_counts *counts);
/* Return: the number behind @key in a short file, 0 where there is none. */
uint64_t percpu_read_number(const char *path, const char *key);
/* Memory that the kernel charges for a map. Return: bytes, 0 where it does not say. */
uint64_t percpu_map_bytes(int map_fd);
