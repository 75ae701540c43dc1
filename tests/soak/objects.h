/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * objects - the BPF objects of a process, found by what /proc tells of its descriptors
 */

#include <bpf/bpf.h>
#include <stdint.h>

#define OBJECTS_MAX 64

struct objects { /* ids, each once */
	uint32_t maps[OBJECTS_MAX], programs[OBJECTS_MAX];
	unsigned map_count, program_count;
};

/* @pid: text, in this PID namespace. Return: 0, -errno; -ENOENT: it has none. */
int objects_find(const char *pid, struct objects *ret_objects);

/* The map whose name ends in @name. Return: descriptor, -errno. */
int objects_map(const struct objects *objects, const char *name, struct bpf_map_info *ret_info);
