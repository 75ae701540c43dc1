/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * maps - every BPF map: its key, value and size, who writes it, what happens when it is full
 *
 * Maps with one element per CPU are declared with one element here; before the load the collector
 * sets the number of possible CPUs. They hold only pointers and marks. Rings and scratch memory
 * exist per online CPU, and the collector puts them in. Every map that a perf program touches is
 * preallocated, as Linux 5.10 demands.
 */

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

#include "bpf/runtime_walk.h"
#include "bpf/vma.bpf.h"
#include "shared/bpf_state.h"
#include "shared/unwind_map.h"

#define PROCESSES_MAX 16384
#define FILES_MAX     16384
#define OWNERS_MAX    512
#define SELECTED_MAX  32768 /* the collector makes it 1 where nothing is selected */
#define WANTED_MAX    4096
#define EXITS_MAX     1024
#define METHODS_MAX   8192

/* The path that is being written: from a dentry up to the root, one component at a time. */
struct path_walk {
	__u64 dentry;      /* or the kernfs node, for a cgroup */
	__u64 mount;       /* struct mount */
	__u64 root_dentry; /* the root directory of the process */
	__u64 root_mount;
	__u32 position; /* of the next component in the announcement */
	__u32 end;      /* every component begins below this position */
	__u32 flags;    /* TM_PATH_* */
	__u32 cut;      /* the flag to set if the path is cut */
	__u32 left;     /* components that may be written for this sample; 0: announce nothing */
	__u32 pad;
};

/* One mapping that a lookup found. */
struct mapping_cache_entry {
	__u64 start;
	__u64 end;
	__u64 base;  /* encoded frame of `start`: kind, file number, file offset */
	__u64 table; /* reference to the unwind table of its code */
};

/* The memory of a stack; end 0: none. */
struct stack_range {
	__u64 start;
	__u64 end;
};

/* Mappings of one process, and what must be unchanged for them to be valid. */
#define MAPPING_CACHE_ENTRIES 8
#define MAPPING_CACHE_STACKS  8 /* a power of two */
struct mapping_cache {
	__u64 mm;
	__u64 start_boottime;
	__u32 exec_id;
	__u32 sequence;        /* mm_lock_seq of the mm */
	__u32 generation;      /* files_generation and epoch_bumps */
	__u32 used;            /* entries written so far; the oldest is overwritten */
	__u64 began;           /* ktime at which it was empty */
	__u32 epoch;           /* in which the process was announced; 0: not known */
	__u32 anonymous_epoch; /* in which it was with TM_FLAG_ANONYMOUS; likewise */
	__u32 last;            /* the entry that was found last */
	__u32 search_ms;       /* when its context is searched next (mapping_search.bpf.h) */
	__u32 stacks_used;     /* of `stacks`, as `used` of `entries` */
	__u32 user;            /* as that of the process's state */
	struct mapping_cache_entry entries[MAPPING_CACHE_ENTRIES];
	struct stack_range stacks[MAPPING_CACHE_STACKS];
};
#define MAPPING_CACHES 16 /* processes; a power of two */

/* A place in code, and the rule that its unwind table has for it; no rule: TM_CFA_NONE. */
struct rule_cache_entry {
	__u64 frame; /* 0: none */
	__u32 generation;
	__u32 in_loop; /* the place is in an interpreter that the file has (shared/runtime.h) */
	struct tm_rule rule;
};
#define RULE_CACHE_ENTRIES 512  /* a power of two */
#define RULE_CACHE_PLACES  1024 /* likewise */

/*
 * The rules that were looked up last. Those of frames that were met one behind the other lie side
 * by side: at low rates they have left the CPU's caches, and that of the caller is most often the
 * next one.
 */
struct rule_cache {
	__u32 used;                      /* entries written so far; the oldest is overwritten */
	__u32 last;                      /* the entry that was found last */
	__u16 places[RULE_CACHE_PLACES]; /* of a frame, by its hash: where its entry was put */
	struct rule_cache_entry entries[RULE_CACHE_ENTRIES];
};

/*
 * A piece of the user stack. Reading a few words of user memory costs no more than reading one, and
 * the next frames lie right above. Each piece of a sample is twice as large as the one before, so
 * that short stacks stay cheap.
 */
#define USER_STACK_FIRST 256u /* bytes */
#define USER_STACK_WORDS 256u /* a power of two */
struct user_stack {
	__u64 start;
	__u64 bytes; /* that were read; 0: none */
	__u64 next;  /* bytes of the next piece */
	__u64 words[USER_STACK_WORDS];
};

enum walk_registers { /* where all registers of the frame that was interrupted last are */
	WALK_TASK,    /* where the kernel saved them */
	WALK_CONTEXT, /* in a signal frame */
};

enum walk_kept {         /* the register TM_UNWIND_TABLE_KEPT in the current frame */
	WALK_KEPT_SAME,  /* has the value of the frame that was interrupted last */
	WALK_KEPT_VALUE, /* has the value `kept` */
	WALK_KEPT_LOST,  /* is not known */
};

/* Registers of the caller of the current frame. */
struct caller {
	__u64 ra;
	__u64 ra_at; /* address of the return address; 0: it was in a register */
	__u64 sp;
	__u64 fp;
	__u64 context; /* address of its registers if a signal interrupted it, else 0 */
};

struct user_walk { /* the walk over the user stack of this sample */
	__u64 task;
	__u64 mm;
	__u64 started;   /* ktime, for the time limit */
	__u64 time_most; /* ns */
	__u64 ip;        /* of the current frame */
	__u64 sp;        /* of the current frame */
	__u64 fp;        /* of the current frame */
	__u64 frame;     /* the current frame, encoded; for a caller, of its call instruction */
	__u64 table;     /* reference to the unwind table of its code */
	__u64 registers; /* address of the registers that `kind` describes */
	struct caller caller;
	__u64 kept;               /* value of TM_UNWIND_TABLE_KEPT */
	__u64 stack_at;           /* an address of the stack that the walk is on */
	struct stack_range stack; /* that stack, as far as it was looked up */
	__u32 kind;               /* enum walk_registers */
	__u32 kept_state;         /* enum walk_kept */
	__u32 first;              /* index of the first user frame */
	__u32 frames;             /* user frames so far */
	__u32 frames_most;
	__u32 kinds;         /* of those: a bit for each enum tm_frame_kind */
	__u32 stop;          /* enum tm_stop */
	__u32 mapping_cache; /* index of the process's mapping cache */
	bool called;         /* the current frame is a caller: only ip, sp, fp and kept are known */
	bool sp_lost;        /* sp of the current frame is not known */
	bool by_rule;        /* a rule has led to `caller` */
	bool by_fp;          /* a frame pointer led to the current frame */
	bool table_missing;  /* a frame below was left by frame pointer for lack of a table */
	bool has_mapping_cache; /* `mapping_cache` is set */
	bool looked_up;         /* a mapping, since the clock was read */
	bool in_loop;           /* the current frame is one of an interpreter */
	bool postponed;         /* the FILE record of the mapping that is looked up is due */
	__u8 announced;         /* FILE records of this sample */
	__u8 stack_slot;        /* of `stack` in the mapping cache */
	__u8 stack_lookups;     /* for this walk */
	__u8 stacks_entered;    /* by this walk */
};

/* A time without a CPU that has ended. */
struct off_cpu_time {
	__u64 since; /* ktime */
	__u64 ns;
	__u64 value; /* ns that its sample stands for; 0: not chosen */
	__u64 state; /* enum tm_thread_state */
};

/* What is searched among the mappings of a process (mapping_search.bpf.h). */
enum search_kind {
	SEARCH_JITDUMP,
	SEARCH_CONTEXT
};

enum search_status {
	SEARCH_GOES_ON,
	SEARCH_ABSENT,
	SEARCH_FOUND
};

/* As a process has it in its memory (process_context.bpf.h). */
struct process_context_head {
	__u64 signature;
	__u32 version;
	__u32 bytes;
	__u64 published; /* ns, by a clock that nothing depends on; 0: it is being changed */
	__u64 text;      /* address */
};

struct owner_thinning { /* of the on-CPU sample (owner_time.bpf.h) */
	__u64 most;     /* ns that an owner may take; 0: any time, nothing is thinned */
	__u32 cgroup;   /* one of 2^n hits is taken */
	__u32 uid;      /* and of those one of 2^n */
};

/* An announcement: its fixed part, both texts, and space for a component behind the last. */
#define ANNOUNCE_TEXTS (TM_PATH_MAX + TM_CGROUP_MAX)
#define ANNOUNCE_MAX   (sizeof(struct tm_file) + ANNOUNCE_TEXTS)
#define ANNOUNCE_SLACK 512

/*
 * Scratch memory of one (CPU, level); the collector reads the counts at its head. The
 * fields that every sample uses come first and close together: at low rates their cache misses are
 * most of a sample's cost.
 */
struct scratch {
	struct tm_level_counts counts; /* these two as in struct tm_level_head */
	struct tm_level_samples samples;
	struct user_walk walk;
	struct runtimes runtimes;
	struct path_walk path;
	struct owner_thinning thinning;
	struct vma found;   /* by the last lookup */
	struct vma mapping; /* of the frame; remapped text has its file's number and offset */
	struct vma again;   /* by a lookup that leaves `found` as it is */
	struct kread block; /* copy of the head of a kernel structure */
	struct user_stack user_stack;
	struct off_cpu_time times[2]; /* the sleep and the wait for a CPU of the sample */
	struct tm_file_state fresh;   /* of the file that is looked up; epoch to claims are 0 */
	__u64 sample_bytes;           /* the header of `sample` in `samples` */
	struct tm_sample sample;
	__u64 frames[TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX]; /* of `sample` */
	struct python_walk python;
	struct java_walk java;
	struct method_walk method;
	struct mapping_cache mapping_caches[MAPPING_CACHES];
	struct rule_cache rule_cache;
	__u64 file;     /* struct file that is being announced */
	__u64 vm_start; /* of the mapping in which the sample found it */
	__u64 vm_end;
	__u64 owners_ktime; /* of the sample whose owners are in `fresh` */
	__u32 no_number;    /* enum tm_unresolved, of a file that has no number */
	__u64 nested_value; /* of the last hit of the timer that found its level in use */
	__u64 full_ktime;   /* of the last announcement that found `processes` full */
	struct tm_mapping_search search;
	__u32 search_kind; /* enum search_kind */
	__u32 search_left; /* mappings that may be looked at for this sample */
	struct tm_mapping_search jitdump;
	__u32 jitdump_file; /* number of what was found, or TM_FILE_NONE */
	struct process_context_head context;
	union {
		struct tm_process process;
		struct tm_file file;
		struct tm_thread thread;
		struct tm_context context;
		char bytes[ANNOUNCE_MAX + ANNOUNCE_SLACK];
	} announce;
	/* Last: a BPF instruction reaches 32 KiB of what stands before. */
	char ring[TM_SAMPLES_WHOLE] __attribute__((aligned(64)));
};

_Static_assert(offsetof(struct scratch, ring) + TM_SAMPLES_WHOLE == sizeof(struct scratch),
	       "the collector finds it at the end");

/* Marks and counters; read by the collector through mmap. One element per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tm_cpu_slot);
} cpu_slots SEC(".maps");

/* The ring of each online CPU. The collector puts it in and chooses its size; for the load it gives
 * one that is like it. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(map_flags, BPF_F_NUMA_NODE);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* The scratch memory of each online CPU, one element per level that is in use: for the load the
 * collector gives a map of that many, and puts in others that are like it. */
struct scratch_levels {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE | BPF_F_NUMA_NODE);
	__uint(max_entries, TM_LEVEL_EXIT);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scratch));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct scratch_levels);
} scratch SEC(".maps");

/*
 * Announced generations. Inserted by BPF, deleted by the collector. Full: counted, and the
 * generation is announced again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES_MAX);
	__type(key, struct tm_process_key);
	__type(value, struct tm_process_state);
} processes SEC(".maps");

/* File numbers. Inserted by BPF, deleted by change_file. Full: frames are `files_full`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILES_MAX);
	__type(key, __u32);
	__type(value, struct tm_file_state);
} files SEC(".maps");

/* What owner.bpf.h counts, by its keys. Inserted and deleted by BPF. Full: the common owner. */
struct owner {
	__u64 numbers; /* file numbers; may be negative for an instant */
	__u64 ready;   /* ktime at which it has used no more than its rate */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OWNERS_MAX);
	__type(key, __u64);
	__type(value, struct owner);
} owners SEC(".maps");

/* Units of unwind tables (shared/unwind_map.h). The collector adds and removes chunks. */
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
} unwind_chunks SEC(".maps");

/*
 * Selected processes, exec_id 0. A child is added when its selected parent forks, and a process is
 * deleted when it exits. Full: counted.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SELECTED_MAX);
	__type(key, struct tm_process_key);
	__type(value, __u64);
} selected SEC(".maps");

/* Processes that mark_wanted selects, by pid in the collector's namespace; 1 once found. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WANTED_MAX);
	__type(key, __u32);
	__type(value, __u32);
} wanted SEC(".maps");

/*
 * Methods that were sampled, inserted by BPF. The least recently used entry is replaced: if it is
 * sampled again, it has another number. Before Linux 6.16 each CPU keeps up to 128 free entries for
 * itself: the collector adds as many for each, so that METHODS_MAX are left.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, METHODS_MAX);
	__type(key, struct method_key);
	__type(value, struct method_state);
} methods SEC(".maps");

/*
 * The thread whose insert succeeds writes the EXIT record: two last threads may both see
 * signal->live at 0, and Linux 5.10 has no compare-and-exchange in BPF. Also the exiting processes
 * that are no longer in `selected`. The least recently used entry is replaced, so it is never
 * full. Room for free entries is added as in `methods`, so that EXITS_MAX are left.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, EXITS_MAX);
	__type(key, struct tm_process_key);
	__type(value, __u32);
} exits SEC(".maps");
