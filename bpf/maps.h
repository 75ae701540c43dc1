/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * maps - every map of the kernel room: key, value, size, who writes, what if it is full
 *
 * "CPUs" below is the number of possible CPUs, set by the collector before load; only pointers and
 * marks are sized by it. Rings and scratch exist per online CPU and are put in by the collector.
 * Everything that a perf program touches is preallocated (5.10 demands it).
 */

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

#include "bpf/vma.bpf.h"
#include "shared/event.h"
#include "shared/unwind_map.h"

#define PROCESSES_MAX 16384
#define FILES_MAX     16384
#define SELECTED_MAX  65536 /* the collector makes it 1 where nothing is selected */
#define WANTED_MAX    4096
#define EXITS_MAX     1024

/* One path in the making: climbs from a dentry to the root, a component a step. */
struct path_walk {
	__u64 dentry;      /* or the kernfs node, for a cgroup */
	__u64 mount;       /* struct mount */
	__u64 root_dentry; /* where the process sees "/" */
	__u64 root_mount;
	__u32 position; /* where the next component goes in the announcement */
	__u32 end;      /* a component may begin below this */
	__u32 flags;    /* TM_PATH_* */
	__u32 cut;      /* which flag says that it was cut */
};

/* One answered lookup. */
struct mapping_cache_entry {
	__u64 start;
	__u64 end;
	__u64 base;  /* frame word of `start`: kind, file number, offset of the mapping's start */
	__u64 table; /* reference to the rows of its code */
};

/* What is known of the mappings of one process, and what must be as it was for that to hold. */
#define MAPPING_CACHE_ENTRIES 8
struct mapping_cache {
	__u64 mm;
	__u64 start_boottime;
	__u32 exec_id;
	__u32 sequence;   /* of the mm's lock */
	__u32 generation; /* of the file numbers */
	__u32 used;       /* mappings put in so far */
	__u64 began;      /* ktime */
	__u32 epoch;      /* in which the process is known to be announced; 0: not known */
	__u32 last;       /* the mapping that answered last */
	struct mapping_cache_entry mappings[MAPPING_CACHE_ENTRIES];
};
#define MAPPING_CACHES 16 /* processes; a power of two */

/* A place in code that was looked up in its table, and the rule that was found (cfa NONE: none). */
struct rule_cache_entry {
	__u64 word; /* 0: none */
	__u32 generation;
	__u32 pad;
	struct tm_rule rule;
};
#define RULE_CACHE_ENTRIES 512 /* a power of two */

/*
 * A piece of the user stack. A read of user memory costs the same for a few words as for one, and the
 * next frames lie right above. Each piece of a sample is twice as large as the one before, so that a
 * short stack does not pay for a long one.
 */
#define USER_STACK_FIRST 256u /* bytes */
#define USER_STACK_WORDS 256u /* a power of two */
struct user_stack {
	__u64 start;
	__u64 bytes; /* that are there; 0: none */
	__u64 next;  /* bytes of the next piece */
	__u64 words[USER_STACK_WORDS];
};

enum walk_registers { /* of the frame that was interrupted last: where all of them are */
	WALK_TASK,    /* where the kernel saved them */
	WALK_CONTEXT, /* in a signal frame */
};

enum walk_kept {         /* what is known of TM_UNWIND_TABLE_KEPT in the frame that is to be left */
	WALK_KEPT_SAME,  /* it is as in the frame that was interrupted last */
	WALK_KEPT_VALUE, /* `kept` */
	WALK_KEPT_LOST,
};

/* What is known of the caller of the frame that is to be left. */
struct caller {
	__u64 ra;
	__u64 ra_at; /* where it was found; 0: in a register */
	__u64 sp;
	__u64 fp;
	__u64 context; /* address of its registers if it was interrupted, else 0 */
};

struct user_walk { /* the user stack of this sample */
	__u64 task;
	__u64 mm;
	__u64 started;   /* ktime, for the time limit */
	__u64 ip;        /* of the frame that is to be left */
	__u64 sp;        /* of it */
	__u64 fp;        /* of it */
	__u64 word;      /* the place in it that rows are looked up by, as a frame word */
	__u64 table;     /* of its code */
	__u64 registers; /* address of what WALK_* says */
	struct caller caller;
	__u64 kept;      /* of TM_UNWIND_TABLE_KEPT */
	__u32 kind;      /* enum walk_registers */
	__u32 keeps;     /* enum walk_kept */
	__u32 called;    /* it called: any register but these may have changed */
	__u32 first;     /* index of the first user frame */
	__u32 frames;    /* user frames so far */
	__u32 stop;      /* enum tm_stop */
	__u32 memory;    /* which one is this process's */
	__u32 lost;      /* sp is not known, only fp */
	__u32 chained;   /* frame pointers led here */
	__u32 blind;     /* and out of code whose rows are not there */
	__u32 remembers; /* `memory` is of this process */
};

/* An announcement: its fixed part, both texts, and room for a component that overruns the last. */
#define ANNOUNCE_TEXTS (TM_PATH_MAX + TM_CGROUP_MAX)
#define ANNOUNCE_MAX   (sizeof(struct tm_file) + ANNOUNCE_TEXTS)
#define ANNOUNCE_SLACK 512

/*
 * Scratch of one (CPU, nesting level); its head is read by the collector. What a plain sample
 * touches comes first and close together: cold cache lines are what a rare sample pays for.
 */
struct scratch {
	struct tm_level_counts counts;
	struct user_walk walk;
	struct vma found;   /* by the last lookup */
	struct kread block; /* for what is read of the kernel on the way */
	struct user_stack window;
	struct tm_file_state fresh; /* of a file that is looked for; all but the identity stays 0 */
	struct tm_sample sample;
	__u64 frames[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* of `sample` */
	struct mapping_cache memories[MAPPING_CACHES];
	struct rule_cache_entry memos[RULE_CACHE_ENTRIES];
	struct path_walk path;
	__u64 file;     /* struct file that is being announced, */
	__u64 vm_start; /* where the sample met it */
	__u64 vm_end;
	__u64 unnoted_ktime; /* last announcement that the full table could not note */
	union {
		struct tm_process process;
		struct tm_file met;
		struct tm_exit exit;
		char bytes[ANNOUNCE_MAX + ANNOUNCE_SLACK];
	} announce;
};

/* Marks and counters; read by the collector through mmap. One element per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tm_cpu_slot);
} cpu_slots SEC(".maps");

/* This CPU's ring; the collector puts it in for each online CPU and may choose its size. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* This CPU's scratch; each inner map has exactly this shape, one element per nesting level. */
struct scratch_levels {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TM_NESTING_LEVELS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scratch));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct scratch_levels);
} scratch SEC(".maps");

/* Announced generations. Written here; deleted by the collector. Full: counted, announced again. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES_MAX);
	__type(key, struct tm_process_key);
	__type(value, struct tm_process_state);
} processes SEC(".maps");

/* File numbers. Claimed here; given back by the collector. Full: frames say `files_full`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_MAX);
	__type(key, __u32);
	__type(value, struct tm_file_state);
} files SEC(".maps");

/* A run of units of tables; the collector puts them in as they are needed, and out again. */
struct chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TM_UNWIND_UNITS_CHUNK);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, TM_UNWIND_UNIT_BYTES);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, TM_UNWIND_CHUNKS_MAX);
	__type(key, __u32);
	__array(values, struct chunk);
} row_chunks SEC(".maps");

/* Selected processes, exec_id 0; the mark passes on at fork and goes at exit. Full: counted. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SELECTED_MAX);
	__type(key, struct tm_process_key);
	__type(value, __u64);
} selected SEC(".maps");

/* Processes that mark_wanted shall select, by pid in the collector's namespace; 1 once met. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WANTED_MAX);
	__type(key, __u32);
	__type(value, __u32);
} wanted SEC(".maps");

/*
 * Whose insert succeeds writes the EXIT: two last threads may both see signal->live at 0, and 5.10
 * has no compare-and-set. Also the dying processes whose mark in `selected` has gone. The least
 * recently used goes, so it is never full.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, EXITS_MAX);
	__type(key, struct tm_process_key);
	__type(value, __u32);
} exits SEC(".maps");
