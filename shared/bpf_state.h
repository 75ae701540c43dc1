/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * bpf_state - keys and values of the BPF maps and variables that the collector shares with bpf/
 *
 * Slots      struct tm_cpu_slot, tm_level_counts and tm_level_samples are written by BPF on their
 *            CPU only; the collector reads them, and writes some fields, as they say.
 * Units      ktime and identities: shared/event.h.
 */

#include <stdint.h>

#include "shared/event.h"

/* What may run on one CPU at once: programs nest, one of each kind at most. A second one of a kind
 * writes no record: it is counted as `nested`. No kernel is known to start one; a hit of the timer
 * within the hook of exec, which has its level, is taken when that ends (bpf/exec.bpf.h). */
enum tm_level {
	TM_LEVEL_TIMER,
	TM_LEVEL_SWITCH, /* off-CPU samples and ended threads */
	TM_LEVEL_WAKER,
	TM_LEVEL_EXIT, /* the only one without scratch memory */
	TM_LEVELS_N
};

struct tm_mark {
	uint64_t ktime; /* lower bound of the ktime that this level may still emit; 0: not in use */
	uint64_t pad[7];
};

/* What the hooks of the scheduler met; only numbers of 64 bits. */
struct tm_off_cpu_seen {
	uint64_t times;     /* times without a CPU that ended, within the selection */
	uint64_t times_ns;  /* which the values of samples estimate: taken_ns differs by chance */
	uint64_t untracked; /* context switches of threads that no state could be kept for */
	uint64_t unseen_ns; /* sleeps whose waking was not seen: the wait behind counts as sleep */
	uint64_t ends_lost; /* THREAD records of ended threads that found no level or space */
	uint64_t wakers_lost; /* samples of wakers, likewise */
};

struct tm_off_cpu_slot {
	struct tm_off_cpu_seen seen;
	uint64_t nested;    /* samples dropped: the level was in use */
	uint64_t nested_ns; /* their values */
	uint64_t no_ring;   /* the same: no ring or scratch for this CPU */
	uint64_t no_ring_ns;
};

struct tm_cpu_slot { /* one per possible CPU, in an mmap-able array; counters by atomic add */
	struct tm_mark level[TM_LEVELS_N];
	uint64_t hits;    /* runs of the sampling program, idle and unselected tasks included */
	uint64_t nested;  /* samples of the selection dropped: the level was in use */
	uint64_t no_ring; /* samples of the selection dropped: no ring or scratch for this CPU */
	uint64_t lost_announces; /* announcements and exits that found no level or ring */
	uint64_t switched;       /* ktime of a context switch, until the next thread has read it */
	/* Written by the collector while the CPU's perf event is off, else by BPF alone: */
	uint64_t weight_ns; /* what a hit stands for; 0: the period of the recording */
	uint64_t next_ns;   /* the same of the next hit, which carries the rest of a period that was
			     * changed; 0: it stands for no more than any other */
	struct tm_off_cpu_slot off_cpu;
	uint64_t methods[TM_LEVELS_N]; /* numbers given to methods; never goes back */
	uint64_t own_ns;     /* that our programs ran, by their own clock (HACKING.md, Budgets) */
	uint64_t drained[2]; /* position in the CPU's ring, written by the collector for the one
			      * that goes on after it (shared/ring_progress.h) */
};

/* What the BPF programs met; only numbers of 64 bits. */
struct tm_bpf_counts {
	uint64_t exiting;        /* on-CPU samples taken without an mm */
	uint64_t announce_lost;  /* PROCESS, FILE or EXIT records for which the ring was full */
	uint64_t processes_full; /* the table of announced processes was full */
	uint64_t files_full;     /* the table of file numbers was full */
	uint64_t files_limited;  /* an owner had its share of them (bpf/owner.bpf.h) */
	uint64_t thinned;        /* hits not taken, for which others stand (bpf/owner_time.bpf.h) */
	uint64_t lookups;        /* mapping lookups */
	uint64_t lookup_cached;  /* of those, answered by the mapping cache */
	uint64_t lookup_retries; /* lookups repeated because the VMA tree changed */
	uint64_t steps_by_table; /* user frames unwound by a rule of an unwind table */
	uint64_t steps_by_frame_pointer; /* and by frame pointer */
	uint64_t methods;                /* look-ups of functions of runtimes */
	uint64_t methods_written;        /* METHOD records */
	uint64_t methods_lost;           /* of those, for which there was no room */
	uint64_t methods_limited; /* frames whose owner had his numbers (bpf/method_share.bpf.h) */
	uint64_t methods_late;    /* postponed: their time was used up (bpf/method.bpf.h) */
};

/* Counters of one level of one CPU, its only writer; at the head of its scratch memory. */
struct tm_level_counts {
	uint64_t taken;        /* hits within the selection, without `nested` and `no_ring` */
	uint64_t ring_full;    /* of those, dropped */
	uint64_t off_cpu;      /* off-CPU samples within the selection, without off_cpu_lost */
	uint64_t off_cpu_ns;   /* their values */
	uint64_t off_cpu_full; /* of those, dropped: the ring was full */
	uint64_t off_cpu_full_ns;
	struct tm_bpf_counts bpf;
};

/* Longer ones, and those for which it has no room, go into the CPU's BPF ring. */
#define TM_SAMPLES_RECORD_MAX 4096u
#define TM_SAMPLES_BYTES      16384u /* a power of two: positions modulo this are offsets */
#define TM_SAMPLES_WHOLE      (TM_SAMPLES_BYTES + TM_SAMPLES_RECORD_MAX)

/*
 * Positions in the ring of a level's samples. It is at the end of the scratch memory: records as in
 * a BPF ring, each behind a header of 8 bytes with its length; the last one may go on behind the
 * TM_SAMPLES_BYTES of the ring.
 */
struct tm_level_samples {
	uint64_t written;    /* by BPF: stored behind the record */
	uint64_t read;       /* by the collector, as is what follows */
	uint64_t drained[2]; /* as in struct tm_cpu_slot */
};

struct tm_level_head {
	struct tm_level_counts counts;
	struct tm_level_samples samples;
};

struct tm_mapping_search { /* how far the BPF programs have looked through the mappings */
	uint64_t at;       /* found: its mapping's start; else there is none below */
	uint32_t status;   /* enum search_status of bpf/maps.h */
	uint32_t sequence; /* of the mapping cache, when they began */
	uint32_t next_ms;  /* of 2^20 ns of ktime: when they may begin anew */
	uint32_t wait_ms;  /* from the end of one search until then */
};

struct tm_process_state { /* of an announced generation, map `processes` */
	uint32_t epoch;   /* in which it was last announced */
	/* PROCESS_* of bpf/announce.bpf.h: not announced again, deleted after an epoch; 0: alive */
	uint32_t exited;
	uint64_t seen_ktime;      /* of the last announcement or the EXIT */
	uint32_t anonymous_epoch; /* in which it was last announced with TM_FLAG_ANONYMOUS */
	uint32_t runtime_file;    /* number of the file with the runtime of its JIT; 0: none met */
	uint64_t runtime_start;   /* address at which offset 0 of that file would be */
	struct tm_mapping_search jitdump;
	struct tm_mapping_search context;
	uint32_t user; /* its place in tm_file_state.users; 0: not known */
	uint32_t pad;
};

struct tm_file_state { /* of a file number, map `files` */
	struct tm_identity identity;
	uint32_t epoch;   /* 0: not announced */
	uint32_t retired; /* 1: no later sample uses the number; reused once the entry is deleted */
	uint64_t table;   /* reference to its unwind table (shared/unwind_map.h) */
	uint32_t users[TM_FILE_USERS]; /* and when they last used it (bpf/file_users.bpf.h) */
	uint64_t claims;               /* CPUs that try to be charged for it */
	/* Who is charged for it: keys of bpf/owner.bpf.h. Second: 0: nobody; so is the first of a
	 * number that stood for its file ahead of the first sample (bpf/file.bpf.h). */
	uint64_t owners[2];
};

/* What the BPF program change_file, run by the collector, does to a file number's entry. */
enum tm_file_change {
	TM_FILE_FORGET, /* announce it again */
	TM_FILE_RETIRE, /* no later sample has the number */
	TM_FILE_TABLE,  /* sets its unwind table */
	TM_FILE_DELETE, /* the number is free */
};

enum tm_check_status {
	TM_CHECK_UNANSWERED, /* there is no such thread, or it ends */
	TM_CHECK_BUSY,       /* the mapping is being modified: try again */
	TM_CHECK_OTHER,      /* not that file, or none */
	TM_CHECK_SAME,       /* that file */
	TM_CHECK_SERVED,     /* that file, on a file system that a process serves */
	TM_CHECK_CHANGED,    /* that file, but its ctime is another one (tm_identity) */
};
