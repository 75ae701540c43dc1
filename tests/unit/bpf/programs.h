/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * programs - the user-space build of the BPF programs (bpf/tidemark.bpf.c), as its tests call it
 */

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include "shared/event.h"

enum program_map_index {
	PROGRAM_MAP_SLOTS,
	PROGRAM_MAP_RINGS,
	PROGRAM_MAP_SCRATCH,
	PROGRAM_MAP_CHUNKS,
	PROGRAM_MAP_PROCESSES,
	PROGRAM_MAP_FILES,
	PROGRAM_MAP_OWNERS,
	PROGRAM_MAP_SELECTED,
	PROGRAM_MAP_WANTED,
	PROGRAM_MAP_EXITS,
	PROGRAM_MAP_METHODS,
	PROGRAM_MAPS
};

struct program_map {
	const void *map;      /* address that the programs pass to the helpers */
	bool hash;            /* else an array */
	bool of_maps;         /* an array of maps */
	uint32_t key_bytes;   /* of a hash */
	uint32_t value_bytes; /* of an element; of an element of the inner maps */
};

extern const struct program_map program_maps[PROGRAM_MAPS];

/* Variables of the programs that the collector sets. */
extern __u32 files_generation;
extern __u64 vdso_table;
extern __u64 files_known; /* this and the next: set by BPF alone */
extern __u64 files_salt;
extern __u64 owner_time_most; /* this and the next: set by the collector */
extern __u32 kernel_frames_most;
extern __u32 epoch_bumps;
extern struct tm_identity check_identity;
extern __u32 own_level; /* this and the next: set by find_self */
extern __u64 own_namespace;

/* What the samples of an owner have taken in this window, ns (bpf/owner_time.bpf.h). */
uint64_t program_owner_spent(uint64_t owner);
void program_owner_times_clear(void);

/* Another CPU has announced all of the function with this state (an element of the map), in the
 * epoch of this time. */
void program_method_announced(void *state, uint64_t ktime);
uint64_t program_method_interval(uint32_t hz, uint32_t cpus);

/* Return: enum tm_check_status. */
uint32_t program_check_compare(const struct tm_identity *sampled, bool any_file,
			       const struct tm_identity *found, uint64_t magic);

struct bpf_iter__task;
/* Runs before the first sample, over the collector's own task. */
int find_self(struct bpf_raw_tracepoint_args *arguments);
/* Address of the task that has a number in own_namespace, or 0. */
__u64 task_find(__u32 number);
/* The context is a thread's number, an address, and whether any file will do.
 * Return: enum tm_check_status. */
int check_mapping(struct bpf_raw_tracepoint_args *context);
/* Numbers the file of check_identity. Return: its number + 1; 0: it gets none. */
int number_ahead(struct bpf_raw_tracepoint_args *arguments);
/* Changes the state of a file number; the context is three 64-bit arguments. */
int change_file(struct bpf_raw_tracepoint_args *context);
/* The programs of the timer: one with bpf_loop, one for kernels that do not have it. */
int sample_loop(struct bpf_perf_event_data *context);
int sample_bounded(struct bpf_perf_event_data *context);

/* At the exec of the running task. */
int on_exec(struct bpf_raw_tracepoint_args *context);
extern __u64 exec_ready; /* set by BPF alone */
/* The process is one of those that are recorded. */
void program_select(uint32_t tgid, uint64_t start_boottime);

/* Where the selection of a thread's times stands (bpf/off_cpu_select.bpf.h). */
struct program_off_cpu {
	uint32_t position, point;
};

/* Begins a thread, whose strata have 2^@shift ns from now on, as those of all threads. */
void program_off_cpu_begin(uint64_t shift, struct program_off_cpu *ret_thread);
/* Return: ns that the stack of a time of @ns stands for; 0: it is not chosen. */
uint64_t program_off_cpu_select(struct program_off_cpu *thread, uint64_t ns);
uint64_t program_off_cpu_select_one(uint64_t ns);

/* A time without a CPU (bpf/off_cpu.bpf.h), in ktime. */
struct program_off_cpu_wait {
	uint32_t state; /* enum tm_thread_state, in which the thread left its CPU */
	uint64_t ran;   /* when it was given the CPU that it left at `since` */
	uint64_t since;
	uint64_t woken; /* the last waking that was seen */
	uint64_t end;
};

/* What it is made of. */
struct program_off_cpu_ns {
	uint64_t sleep;
	uint64_t wait; /* for a CPU */
	uint64_t unseen;
};

void program_off_cpu_end(const struct program_off_cpu_wait *wait,
			 struct program_off_cpu_ns *ret_ns);
/* Whether a thread that is given a CPU, in @state since @since, was seen to leave the one before.
 * @ret_untracked: what is counted as untracked. */
bool program_off_cpu_left(uint32_t state, uint64_t since, uint64_t *ret_untracked);
