/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * loader - the only owner of the skeleton: sizes, loads and attaches the kernel room
 *
 * Shape      what steady work needs is kept as descriptors and pointers, so that nobody else knows
 *            the skeleton.
 * Variants   bpf_loop where the helper exists, else a bounded loop; the ksym iterator where BTF has
 *            it. What exists is probed, never concluded from a version.
 * Unpriv.    where the kernel lacks a type that we ask about, libbpf looks through module BTF, which
 *            needs CAP_SYS_ADMIN; then it is told to read vmlinux's alone, as a second copy.
 */

#include <stdint.h>

#include "collector/options.h"
#include "collector/percpu.h"
#include "collector/reclaim.h"
#include "shared/control.h"

#define LOADER_BTF "/sys/kernel/btf/vmlinux"

struct loader {
	struct tidemark_bpf *skeleton;
	struct percpu percpu;
	uint64_t map_bytes; /* memory of all maps but those of percpu */
	int sample;         /* program descriptor */
	/* map descriptors */
	int wanted;
	int row_chunks;
	struct reclaim_table processes;
	struct reclaim_table numbers;
	/* variables of the kernel room, mapped */
	uint32_t *epoch_bumps; /* raised: all that is sampled announces itself again */
	const uint64_t *selected_count;
	const uint64_t *selected_full; /* children that found no room in the selection */
};

/* Opens, sizes, loads; on failure *failure says why. Return: 0, -errno. */
int loader_load(struct loader *loader, const struct options *options,
		struct tm_control_failure *failure);
/* Attaches birth and death of processes; the perf program is attached by percpu.h. Return: 0, -errno. */
int loader_attach(struct loader *loader, const struct options *options,
		  struct tm_control_failure *failure);
void loader_detach(struct loader *loader);
/* Return: run time of all our programs, ns; 0 where the kernel does not count. */
uint64_t loader_run_ns(const struct loader *loader);
/* Return: descriptor to read the kernel's symbols from; -errno where the kernel has no iterator. */
int loader_kernel_symbols(const struct loader *loader);
/* Marks what is in the map `wanted` in one walk over all tasks. Return: 0, -errno. */
int loader_mark_wanted(const struct loader *loader);
/* The calls of struct file_requests_kernel and struct unwind_alloc_kernel; @context: the loader. */
int loader_match_file(void *context, uint32_t pid, uint64_t address,
		      const struct tm_identity *identity);
int loader_change(void *context, uint32_t number, enum tm_file_change change, uint64_t value);
int loader_make_chunk(void *context, uint32_t index, void **ret_memory);
void loader_drop_chunk(void *context, uint32_t index, void *memory);
void loader_deinit(struct loader *loader);
