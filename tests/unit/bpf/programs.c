/* SPDX-License-Identifier: GPL-2.0 */
/*
 * programs - the BPF programs as user-space functions, and a description of their maps
 */

#include "tests/unit/bpf/programs.h"

#include "bpf/tidemark.bpf.c"

#define INNER(type) (sizeof(*((struct type *)0)->value_size) / sizeof(int))
/* clang-format 14 and 19 differ here. */
/* clang-format off */
#define HASH(name)                                                              \
	{                                                                       \
		.map = &(name), .hash = true, .key_bytes = sizeof(*(name).key), \
		.value_bytes = sizeof(*(name).value),                           \
	}
/* clang-format on */

void program_off_cpu_begin(uint64_t shift, struct program_off_cpu *ret_thread)
{
	struct thread_time time = {.position = 0};

	off_cpu_shift = shift;
	thread_time_begin(&time, TM_THREAD_ON_CPU, 1);
	*ret_thread = (struct program_off_cpu){time.position, time.point};
}

uint64_t program_off_cpu_select(struct program_off_cpu *thread, uint64_t ns)
{
	struct thread_time time = {.position = thread->position, .point = thread->point};
	uint64_t value = off_cpu_value(off_cpu_select(&time, ns), ns);

	*thread = (struct program_off_cpu){time.position, time.point};
	return value;
}

uint64_t program_off_cpu_select_one(uint64_t ns)
{
	return off_cpu_select_one(ns);
}

void program_off_cpu_end(const struct program_off_cpu_wait *wait, struct program_off_cpu_ns *ret_ns)
{
	struct thread_time time = {.state = (__u8)wait->state,
				   .since = wait->since,
				   .ran = wait->ran,
				   .woken = wait->woken};
	struct off_cpu_time sleep = {0}, runnable = {0};
	struct tm_cpu_slot slot = {.hits = 0};

	off_cpu_resume(&time, wait->end, &sleep, &runnable);
	off_cpu_count_unseen(&slot, &sleep, &runnable);
	*ret_ns = (struct program_off_cpu_ns){sleep.ns, runnable.ns, slot.off_cpu.seen.unseen_ns};
}

bool program_off_cpu_left(uint32_t state, uint64_t since, uint64_t *ret_untracked)
{
	struct thread_time time = {.state = (__u8)state, .since = since};
	struct tm_cpu_slot slot = {.hits = 0};
	bool left = off_cpu_left(&slot, &time);

	*ret_untracked = slot.off_cpu.seen.untracked;
	return left;
}

void program_select(uint32_t tgid, uint64_t start_boottime)
{
	selection_add(tgid, start_boottime);
}

uint32_t program_check_compare(const struct tm_identity *sampled, bool any_file,
			       const struct tm_identity *found, uint64_t magic)
{
	return check_compare(sampled, any_file, found, magic);
}

uint64_t program_method_interval(uint32_t hz, uint32_t cpus)
{
	return method_interval(hz, cpus);
}

void program_method_announced(void *state, uint64_t ktime)
{
	struct method_state *method = state;

	method->epoch = announce_epoch(ktime, (__u32)method->number << 4);
	method->part = 0;
}

uint64_t program_owner_spent(uint64_t owner)
{
	return owner_time_of(owner)->key == owner ? owner_time_of(owner)->spent : 0;
}

void program_owner_times_clear(void)
{
	__builtin_memset(owner_times, 0, sizeof(owner_times));
}

const struct program_map program_maps[PROGRAM_MAPS] = {
	[PROGRAM_MAP_SLOTS] = {.map = &cpu_slots, .value_bytes = sizeof(*cpu_slots.value)},
	[PROGRAM_MAP_RINGS] = {.map = &rings, .of_maps = true},
	[PROGRAM_MAP_SCRATCH] = {.map = &scratch,
				 .of_maps = true,
				 .value_bytes = INNER(scratch_levels)},
	[PROGRAM_MAP_CHUNKS] = {.map = &unwind_chunks,
				.of_maps = true,
				.value_bytes = INNER(chunk)},
	[PROGRAM_MAP_PROCESSES] = HASH(processes),
	[PROGRAM_MAP_FILES] = HASH(files),
	[PROGRAM_MAP_OWNERS] = HASH(owners),
	[PROGRAM_MAP_SELECTED] = HASH(selected),
	[PROGRAM_MAP_WANTED] = HASH(wanted),
	[PROGRAM_MAP_EXITS] = HASH(exits),
	[PROGRAM_MAP_METHODS] = HASH(methods),
};
