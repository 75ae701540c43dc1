/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * maps - every map of the kernel room: key, value, size, who writes, what if it is full
 *
 * "CPUs" below is the number of possible CPUs, set by the collector before load; only pointers and
 * marks are sized by it. Rings and scratch exist per online CPU and are put in by the collector.
 * Everything that a perf program touches is preallocated (5.10 demands it).
 */

#include "shared/event.h"

/* A process generation; exec_id 0 in keys that must survive an exec (the selection). */
struct process_key {
	__u32 tgid;
	__u32 exec_id;
	__u64 start_boottime;
};

struct process_state {	   /* of an announced generation */
	__u32 epoch;	   /* in which it was last announced */
	__u32 exited;	   /* 0, or 1 once EXIT was tried; never deleted here, the collector sweeps */
	__u64 exit_ktime;
};

struct file_state {
	struct tm_identity identity;
	__u32 epoch;
	__u32 pad;
};

/* Scratch of one (CPU, nesting level); its head is read by the collector. */
#define SCRATCH_CACHE 8
struct scratch_mapping { /* one answered lookup of this sample */
	__u64 start;
	__u64 end;
	__u64 base;	 /* frame word of `start`: kind, file number, offset of the mapping's start */
};
