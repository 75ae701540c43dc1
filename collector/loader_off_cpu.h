/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * loader_off_cpu - which of the scheduler's hooks are loaded, and their attachment
 *
 * The lower part of loader, which alone calls it. Where BTF has the tracepoint sched_exit_tp a
 * stack is taken behind a context switch, else before it.
 */

#include <stdbool.h>

#include "collector/options.h"

struct tidemark_bpf;

/* What depends on the kernel, and is found out by trying. */
struct loader_way {
	const char *btf_path; /* NULL: libbpf's choice */
	bool loops;           /* bpf_loop exists */
	bool hash;            /* the state of threads is in a hash, not in task storage */
};

/* Before the load. */
void loader_off_cpu_choose(struct tidemark_bpf *skeleton, const struct options *options,
			   const struct loader_way *way);
/* Return: 0, -errno. */
int loader_off_cpu_attach(struct tidemark_bpf *skeleton);
