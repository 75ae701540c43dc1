/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world - simulated CPUs that write records as bpf/nesting.bpf.h does, one step at a time
 */

#include "tests/model/world.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum step {
	STEP_EARLY, /* only where the order is broken */
	STEP_K0,
	STEP_MARK,
	STEP_BARRIER,
	STEP_K1,
	STEP_ANNOUNCE,
	STEP_ANNOUNCE_COMMIT,
	STEP_NOTE,
	STEP_LOOK_UP,
	STEP_RESERVE,
	STEP_COMMIT,
	STEP_CLEAR,
	STEP_LEAVE,
};

static int map_ring(struct world_cpu *cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("world", 0);
	uint8_t *memory;

	if (fd < 0 || ftruncate(fd, (off_t)(2 * page + WORLD_RING_BYTES)) < 0)
		return -errno;
	memory = mmap(NULL, 2 * page + 2 * WORLD_RING_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED ||
	    mmap(memory, 2 * page + WORLD_RING_BYTES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
	    mmap(memory + 2 * page + WORLD_RING_BYTES, WORLD_RING_BYTES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, (off_t)(2 * page)) == MAP_FAILED)
		return -errno;
	(void)close(fd);
	cpu->consumer = (void *)memory;
	cpu->producer = (void *)(memory + page);
	cpu->data = memory + 2 * page;
	return 0;
}

int world_init(struct world *world)
{
	int r = 0;

	*world = (struct world){0};
	for (unsigned i = 0; r == 0 && i < WORLD_CPUS; i++) {
		world->cpus[i].slot = &world->slots[i];
		world->cpus[i].levels = world->levels[i];
		r = map_ring(&world->cpus[i]);
	}
	return r;
}

void world_begin(struct world *world, enum world_part missing, uint64_t seed)
{
	memset(world->slots, 0, sizeof(world->slots));
	for (unsigned i = 0; i < WORLD_CPUS; i++) {
		struct world_cpu *cpu = &world->cpus[i];

		for (unsigned level = 0; level < TM_LEVELS_N; level++)
			memset(&cpu->levels[level].head, 0, sizeof(cpu->levels[level].head));
		cpu->store_count = 0;
		cpu->depth = 0;
		atomic_store_explicit(cpu->consumer, 0, memory_order_relaxed);
		atomic_store_explicit(cpu->producer, 0, memory_order_relaxed);
	}
	world->missing = missing;
	world->random = seed;
	world->now = 1000000000;
	world->ids = 0;
	world->announced = 0;
	world->closing = false;
}

/* The oldest store reaches memory. */
static void store_one(struct world_cpu *cpu)
{
	const struct world_store *store = &cpu->stores[0];

	atomic_store_explicit(store->at, store->value, memory_order_release);
	cpu->store_count--;
	memmove(&cpu->stores[0], &cpu->stores[1], cpu->store_count * sizeof(cpu->stores[0]));
}

static void locked(struct world_cpu *cpu)
{
	while (cpu->store_count > 0)
		store_one(cpu);
}

static void store(struct world_cpu *cpu, void *at, uint64_t value)
{
	if (cpu->store_count == WORLD_STORES)
		store_one(cpu);
	cpu->stores[cpu->store_count++] = (struct world_store){at, value};
}

static void mark(const struct world *world, struct world_cpu *cpu, unsigned level, uint64_t value)
{
	if (world->missing != WORLD_NO_MARK)
		store(cpu, &cpu->slot->level[level].ktime, value);
}

static uint64_t fast_clock(struct world *world)
{
	return world->now - random_below(&world->random, (uint32_t)world->lag_max + 1);
}

/* As the kernel's ring buffer does it: header and position become visible together. */
static bool reserve(struct world *world, struct world_cpu *cpu, struct world_program *program,
		    uint32_t bytes)
{
	uint64_t at = atomic_load_explicit(cpu->producer, memory_order_relaxed);
	uint64_t end = at + BPF_RINGBUF_HDR_SZ + bytes;
	_Atomic uint32_t *header = (void *)(cpu->data + (at & (WORLD_RING_BYTES - 1)));

	if (world->ids == WORLD_RECORDS ||
	    end - atomic_load_explicit(cpu->consumer, memory_order_acquire) > WORLD_RING_BYTES)
		return false;
	program->at = (uint32_t)(at & (WORLD_RING_BYTES - 1));
	program->id = ++world->ids;
	atomic_store_explicit(header, bytes | BPF_RINGBUF_BUSY_BIT, memory_order_relaxed);
	locked(cpu);
	atomic_store_explicit(cpu->producer, end, memory_order_release);
	return true;
}

static void commit(struct world *world, struct world_cpu *cpu, const struct world_program *program,
		   uint16_t type, uint32_t bytes)
{
	_Atomic uint32_t *header = (void *)(cpu->data + program->at);
	struct tm_sample record = {
		.event = {.bytes = bytes, .type = type, .ktime = program->k1, .tgid = program->id}};

	world->needs[program->id] = program->need;
	memcpy(cpu->data + program->at + BPF_RINGBUF_HDR_SZ, &record, bytes);
	locked(cpu);
	atomic_store_explicit(header, bytes, memory_order_release);
}

/* What is stored last, the position, is all that the reader goes by. Return: whether there is room.
 */
static bool put(struct world *world, struct world_cpu *cpu, struct world_program *program)
{
	struct tm_level_samples *samples = &cpu->levels[program->level].head.samples;
	const struct tm_sample record = {.event = {.bytes = sizeof(record),
						   .type = TM_EVENT_SAMPLE,
						   .ktime = program->k1,
						   .tgid = world->ids + 1}};
	const uint64_t header = sizeof(record), end = samples->written + sizeof(header) + header;
	uint8_t *at = cpu->levels[program->level].ring + samples->written % TM_SAMPLES_BYTES;

	if (world->ids == WORLD_RECORDS ||
	    end - atomic_load_explicit((_Atomic uint64_t *)&samples->read, memory_order_acquire) >
		    TM_SAMPLES_BYTES)
		return false;
	world->needs[++world->ids] = program->need;
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), &record, sizeof(record));
	store(cpu, &samples->written, end);
	return true;
}

static void read_k1(struct world *world, struct world_program *program)
{
	if (world->missing != WORLD_NO_ORDER)
		program->k1 = fast_clock(world);
	if (program->k1 < program->k0 && world->missing != WORLD_NO_MAX &&
	    world->missing != WORLD_NO_ORDER)
		program->k1 = program->k0;
	program->step = program->announces ? STEP_ANNOUNCE : STEP_LOOK_UP;
}

/* A step that writes to the ring. */
static void ring_step(struct world *world, struct world_cpu *cpu, struct world_program *program)
{
	bool announce = program->step == STEP_ANNOUNCE;
	uint32_t bytes = announce ? sizeof(struct tm_exit) : sizeof(struct tm_sample);

	if (!announce && program->own && put(world, cpu, program)) {
		program->step = STEP_CLEAR;
		return;
	}
	if (reserve(world, cpu, program, bytes)) {
		program->step++;
		return;
	}
	if (!announce)
		cpu->levels[program->level].head.counts.ring_full++;
	program->step = announce ? STEP_LOOK_UP : STEP_CLEAR;
}

static void program_step(struct world *world, struct world_cpu *cpu)
{
	struct world_program *program = &cpu->programs[cpu->depth - 1];
	unsigned level = program->level;

	switch (program->step) {
	case STEP_EARLY:
		program->k1 = fast_clock(world);
		break;
	case STEP_K0:
		program->k0 = fast_clock(world);
		break;
	case STEP_MARK:
		mark(world, cpu, level, program->k0);
		break;
	case STEP_BARRIER:
		if (world->missing != WORLD_NO_BARRIER)
			locked(cpu);
		break;
	case STEP_K1:
		read_k1(world, program);
		return;
	case STEP_ANNOUNCE:
	case STEP_RESERVE:
		ring_step(world, cpu, program);
		return;
	case STEP_ANNOUNCE_COMMIT:
		commit(world, cpu, program, TM_EVENT_EXIT, sizeof(struct tm_exit));
		break;
	case STEP_NOTE:
		world->announced = program->id;
		break;
	case STEP_LOOK_UP:
		program->need = world->announced;
		cpu->levels[level].head.counts.taken++;
		break;
	case STEP_COMMIT:
		commit(world, cpu, program, TM_EVENT_SAMPLE, sizeof(struct tm_sample));
		break;
	case STEP_CLEAR:
		mark(world, cpu, level, 0);
		break;
	default:
		cpu->depth--;
		return;
	}
	program->step++;
}

static uint8_t free_level(struct world *world, const struct world_cpu *cpu)
{
	unsigned used = 0;
	uint8_t level;

	for (unsigned i = 0; i < cpu->depth; i++)
		used |= 1u << cpu->programs[i].level;
	do {
		level = (uint8_t)random_below(&world->random, TM_LEVELS_N);
	} while (used >> level & 1);
	return level;
}

static void cpu_step(struct world *world, struct world_cpu *cpu)
{
	bool may_begin = cpu->depth < TM_LEVELS_N && !world->closing;

	if (may_begin && random_below(&world->random, cpu->depth ? 8 : 2) == 0) {
		cpu->programs[cpu->depth] = (struct world_program){
			.step = world->missing == WORLD_NO_ORDER ? STEP_EARLY : STEP_K0,
			.level = free_level(world, cpu),
			.announces = random_below(&world->random, 4) == 0,
			.own = random_below(&world->random, 2) == 0,
		};
		cpu->depth++;
		return;
	}
	if (cpu->depth > 0)
		program_step(world, cpu);
}

void world_step(struct world *world)
{
	struct world_cpu *cpu = &world->cpus[random_below(&world->random, WORLD_CPUS)];

	switch (random_below(&world->random, 8)) {
	case 0:
		world->now += random_below(&world->random, (uint32_t)world->lag_max);
		break;
	case 1:
		if (cpu->store_count > 0)
			store_one(cpu);
		break;
	default:
		cpu_step(world, cpu);
	}
}

void world_settle(struct world *world)
{
	world->closing = true;
	for (unsigned i = 0; i < WORLD_CPUS; i++) {
		while (world->cpus[i].depth > 0)
			program_step(world, &world->cpus[i]);
		locked(&world->cpus[i]);
	}
	world->now += 2 * world->lag_max;
}
