/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * world - simulated CPUs that write records as bpf/nesting.bpf.h does, one step at a time
 *
 * Shape      each CPU has programs that nest, a FIFO store buffer in front of its marks (as x86
 *            has), a BPF ring in the kernel's layout, and reads a clock that lags the true one by
 *            up to the collector's guard. Locked operations (the barrier, reservation, commit, the
 *            time that it took) empty the store buffer.
 * Parts      each part of the rule can be left out, to see that the proof notices.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/bpfring.h"
#include "shared/bpf_state.h"
#include "tests/model/random.h"

#define WORLD_CPUS       2
#define WORLD_RING_BYTES 4096u
#define WORLD_STORES     8
#define WORLD_RECORDS    256 /* in one schedule */

enum world_part { /* of the rule; one may be missing */
	WORLD_WHOLE,
	WORLD_NO_MARK,
	WORLD_NO_BARRIER,
	WORLD_NO_ORDER, /* the record's ktime is read before the mark is stored */
	WORLD_NO_MAX,
	WORLD_PAST_BUSY, /* W goes on although a ring is stopped (simulate.c) */
	WORLD_T_LAST,    /* the collector's own clock after the marks (simulate.c) */
	WORLD_CONSUMED,  /* the next collector begins where the rings' consumer is (simulate.c) */
	WORLD_EARLY,     /* records are released before they are published (simulate.c) */
	WORLD_PARTS,
};

struct world_program { /* one BPF program under way */
	uint64_t k0;
	uint64_t k1;
	uint32_t id;   /* of the record being written */
	uint32_t need; /* the announcement that its sample relies on */
	uint32_t at;   /* place in the ring of the record being written */
	uint8_t step;
	uint8_t level; /* enum tm_level: any that is free */
	bool announces;
	bool own; /* its sample goes into the ring of its level */
};

struct world_store {
	_Atomic uint64_t *at;
	uint64_t value;
};

struct world_level { /* scratch memory */
	struct tm_level_head head;
	uint8_t ring[TM_SAMPLES_WHOLE];
};

struct world_cpu {
	struct tm_cpu_slot *slot; /* what memory says */
	struct world_level *levels;
	_Atomic uint64_t *consumer, *producer;
	uint8_t *data;
	struct world_store stores[WORLD_STORES];
	struct world_program programs[TM_LEVELS_N]; /* each interrupted by the next */
	unsigned store_count;
	unsigned depth;
};

struct world {
	struct world_cpu cpus[WORLD_CPUS];
	struct tm_cpu_slot slots[WORLD_CPUS];
	struct world_level levels[WORLD_CPUS][TM_LEVELS_N];
	enum world_part missing;
	uint64_t random;
	uint64_t now;
	uint64_t lag_max; /* of the fast clock, ns */
	uint32_t ids;
	uint32_t announced; /* the newest announcement that is noted */
	uint32_t needs[WORLD_RECORDS + 1];
	bool closing; /* no new programs */
};

/* Maps the rings, once. Return: 0, -errno. */
int world_init(struct world *world);
/* A fresh schedule. */
void world_begin(struct world *world, enum world_part missing, uint64_t seed);
/* One step of one CPU, or of its store buffer, or of the clock. */
void world_step(struct world *world);
/* Runs everything that is under way to its end. */
void world_settle(struct world *world);
