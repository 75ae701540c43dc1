/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * bpf_maps - the maps and rings of the BPF programs in user space, and the helpers that use them
 *
 * There is one CPU, and at most 64 entries in a hash.
 */

#include <stdint.h>

#include "shared/bpf_state.h"

/* Empties all maps and zeroes the scratch memory. */
void bpf_maps_reset(void);
/* The memory of a unit of unwind tables (shared/unwind_map.h). */
void *bpf_maps_unit(uint32_t number);
/* The state of file @index, in the order in which they were added; NULL: none. */
struct tm_file_state *bpf_maps_file(uint32_t index, uint32_t *ret_number);
/* The newest sample in the ring; NULL: none since the reset. */
const struct tm_sample *bpf_maps_sample(void);
/* Likewise the newest announcement of a process. */
const struct tm_process *bpf_maps_process(void);
/* Likewise of a file. */
const struct tm_file *bpf_maps_announced_file(void);
/* Likewise the newest process context. */
const struct tm_context *bpf_maps_context(void);
/* Likewise the newest METHOD record. */
const struct tm_method *bpf_maps_method(void);
/* The newest one of a function, among the first METHODS_KEPT; NULL: none. */
#define METHODS_KEPT 64u
const struct tm_method *bpf_maps_method_of(uint64_t number);
/* The state of the function that was numbered first. */
void *bpf_maps_first_method(void);
/* The number of records of a type since the reset. */
unsigned bpf_maps_records(enum tm_event_type type);
const struct tm_level_counts *bpf_maps_counts(void);
/* The ring of the timer's level. After a reset it is full, so that samples go into the CPU's. */
struct tm_level_samples *bpf_maps_samples(void);
const uint8_t *bpf_maps_ring(void);
struct tm_cpu_slot *bpf_maps_slot(void);
