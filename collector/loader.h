/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * loader - loads and attaches the BPF programs, and reports why it cannot
 *
 * Shape      the only user of libbpf's skeleton: other files get descriptors of maps and programs,
 *            and pointers to variables.
 * Variants   bpf_loop where that helper exists, else a bounded loop; the ksym iterator where BTF
 *            has it. Both are probed, not concluded from the kernel's version.
 * BTF        where the kernel lacks a type that the programs ask for, libbpf searches the BTF of
 *            modules, which needs CAP_SYS_ADMIN. A second attempt makes it read a copy of vmlinux's
 *            BTF alone.
 * Owner      struct loader owns the skeleton, its maps and percpu until loader_deinit.
 * Threads    one.
 * Errors     -ECANCELED where there is a *failure, which says why; else -errno.
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
	struct kept *kept;  /* borrowed */
	/* map descriptors */
	int wanted;
	int unwind_chunks;
	struct reclaim_table processes;
	struct reclaim_table numbers;
	/* variables of the BPF side, mapped */
	uint32_t *epoch_bumps; /* incremented: everything sampled is announced again */
	uint64_t *off_cpu_shift;
	uint64_t *owner_time_most;  /* what an owner's samples may take (TM_WIRE_RATE) */
	uint64_t *off_cpu_end;      /* ktime at which the hooks were detached; 0: not yet */
	const uint64_t *vdso_table; /* reference to it */
	const uint64_t *selected_count;
	const uint64_t *selected_full; /* children that were not selected: the map was full */
};

/* Opens, sizes and loads the BPF programs; with the maps of the last collector where it left them,
 * and then everything is announced again at once. Return: 0, -ECANCELED. */
int loader_load(struct loader *loader, struct options *options, struct tm_control_failure *failure);
/* Attaches the programs at process fork and exit; percpu.h attaches the one at perf events.
 * Return: 0, -ECANCELED. */
int loader_attach(struct loader *loader, const struct options *options,
		  struct tm_control_failure *failure);
/* Attaches the scheduler's hooks, and finds the threads that are there already.
 * Return: 0, -ECANCELED. */
int loader_start_off_cpu(const struct loader *loader, struct tm_control_failure *failure);
/* Return: descriptor to read what all threads do from, -errno. */
int loader_threads(const struct loader *loader);
void loader_detach(struct loader *loader);
/* @again: only those of modules and BPF programs, and an empty line for any other.
 * Return: descriptor to read the kernel's symbols from; -errno where the kernel has no iterator. */
int loader_kernel_symbols(const struct loader *loader, bool again);
/* Marks what is in the map `wanted` in one walk over all tasks. Return: 0, -errno. */
int loader_mark_wanted(const struct loader *loader);
/* Announces the file that the process has mapped at @address. Before the first sample only. */
void loader_announce(const struct loader *loader, uint32_t pid, uint64_t address);
/* The calls of struct file_requests_kernel and struct unwind_alloc_kernel; @context: the loader. */
int loader_match_file(void *context, uint32_t pid, uint64_t address,
		      const struct tm_identity *identity);
int loader_change(void *context, uint32_t number, enum tm_file_change change, uint64_t value);
int loader_number(void *context, const struct tm_identity *identity);
int loader_make_chunk(void *context, uint32_t index, void **ret_memory);
/* A chunk of the collector before. */
int loader_adopt_chunk(void *context, uint32_t index, void **ret_memory);
void loader_drop_chunk(void *context, uint32_t index, void *memory);
void loader_deinit(struct loader *loader);
