/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * bpf_objects - the BPF maps and programs that a process holds, found by its fdinfo
 */

#include <bpf/bpf.h>
#include <stdint.h>

#define BPF_OBJECTS_MAX 64

struct bpf_objects { /* ids, each once */
	uint32_t maps[BPF_OBJECTS_MAX], programs[BPF_OBJECTS_MAX];
	unsigned map_count, program_count;
};

/* @pid: text, in this PID namespace. Return: 0, -errno; -ENOENT: it has none. */
int bpf_objects_find(const char *pid, struct bpf_objects *ret_objects);

/* The map whose name ends in @name. Return: descriptor, -errno. */
int bpf_objects_map(const struct bpf_objects *objects, const char *name,
		    struct bpf_map_info *ret_info);
