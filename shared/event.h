/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * event - the records that the BPF programs write and the words both programs speak
 *
 * Shape      fixed header, then a fixed part per type, then a variable tail. Every record is a
 *            multiple of 8 bytes and at most TM_EVENT_MAX_BYTES.
 * Units      ktime: ns of CLOCK_MONOTONIC (bpf_ktime_get_ns). start_boottime: ns of
 *            CLOCK_BOOTTIME. Process numbers are those of the initial PID namespace.
 * Identity   (tgid, start_boottime, exec_id) names a process generation; a pid alone names nothing.
 * Writer     bpf/ writes them; collector/ checks them, rebases kernel addresses and zeroes the
 *            fields marked "collector only" before they enter the shared ring in the same layout.
 * Trust      the collector trusts lengths written by its own BPF programs no more than any
 *            others: a record that does not check is dropped and counted (`malformed`).
 */

#include <stdint.h>

#define TM_EVENT_VERSION       1

#define TM_COMM_BYTES          16   /* TASK_COMM_LEN, include/linux/sched.h */
#define TM_KERNEL_FRAMES_MAX   127  /* PERF_MAX_STACK_DEPTH, include/uapi/linux/perf_event.h */
#define TM_USER_FRAMES_MAX     4096 /* deeper stacks are cut, reason `depth` */
#define TM_PATH_MAX            4096 /* packed path bytes; a longer one is cut, TM_PATH_CUT */
#define TM_PATH_COMPONENTS_MAX 128  /* components of one path; more are cut, TM_PATH_CUT */
#define TM_CGROUP_MAX          1024 /* packed cgroup name bytes; longer ones are cut, TM_CGROUP_CUT */
#define TM_EPOCH_NS            15000000000ull /* what is sampled announces itself once in so long */
#define TM_NESTING_LEVELS      4 /* records in the making on one CPU; a fifth is dropped, `nested` */

enum tm_event_type {
	TM_EVENT_SAMPLE = 1,
	TM_EVENT_PROCESS = 2,
	TM_EVENT_FILE = 3,
	TM_EVENT_EXIT = 4,
	TM_EVENT_RETIRE = 5, /* by the collector alone, never from BPF */
};

/* tm_event.flags */
#define TM_FLAG_EXITING   (1u << 0)  /* PF_EXITING was set: the mm may be gone */
#define TM_FLAG_KTHREAD   (1u << 1)  /* PF_KTHREAD; never concluded from a missing mm */
#define TM_FLAG_IN_EXEC   (1u << 2)  /* inside execve: no user frames, announces nothing */
#define TM_FLAG_USER_MODE (1u << 3)  /* the timer hit user mode */
#define TM_FLAG_NO_MM     (1u << 4)  /* exiting and already without its mm */
#define TM_FLAG_IO_WORKER (1u << 5)  /* PF_IO_WORKER or PF_USER_WORKER: no user registers */
#define TM_PATH_CUT       (1u << 8)  /* path longer than its limits: the leaf end is kept */
#define TM_PATH_DELETED   (1u << 9)  /* i_nlink was 0 */
#define TM_PATH_UNNAMED   (1u << 10) /* a root without a path: memfd and the like */
#define TM_CGROUP_CUT     (1u << 11)

struct tm_event {
	uint32_t bytes;          /* whole record, multiple of 8 */
	uint16_t type;           /* enum tm_event_type */
	uint16_t cpu;            /* where it was written */
	uint64_t ktime;          /* ns; never below the mark published before it (DESIGN 4.3) */
	uint64_t start_boottime; /* of the group leader */
	uint32_t tgid;
	uint32_t tid;
	uint32_t exec_id; /* task->self_exec_id */
	uint32_t flags;   /* TM_FLAG_*, TM_PATH_* */
};

/*
 * Why a hit within the selection did not become an exported sample. One word, the same in the
 * completeness line, the JSON keys and the page.
 */
#define TM_DROP_REASONS(X)                                                                         \
	X(RING_FULL, ring_full)             /* the CPU's BPF ring had no room */                   \
	X(NESTED, nested)                   /* a fifth record in the making on one CPU */          \
	X(NO_RING, no_ring)                 /* a CPU that has no ring yet */                       \
	X(MALFORMED, malformed)             /* a record that failed its check in the collector */  \
	X(SHARED_FULL, shared_full)         /* the shared ring had no room */                      \
	X(BAD_RECORD, bad_record)           /* a record that failed its check in the symbolizer */ \
	X(MEMORY, memory)                   /* the aggregation's byte budget was spent */          \
	X(COLLECTOR_DIED, collector_died)   /* taken, but not handed over before it died */        \
	X(SYMBOLIZER_DIED, symbolizer_died) /* handed over, but not exported before it died */

/* Why a user or kernel stack does not reach its root. Stands as `[truncated: reason]`. */
#define TM_STOP_REASONS(X)                                                                        \
	X(NONE, none)                     /* reached its root; never printed */                   \
	X(EXEC, exec)                     /* inside execve: registers and mm do not match */      \
	X(EXITING, exiting)               /* the task's mm was already gone */                    \
	X(FRAME_POINTER, frame_pointer)   /* the chain of frame pointers broke */                 \
	X(STACK_FAULT, stack_fault)       /* stack memory could not be read */                    \
	X(DEPTH, depth)                   /* TM_USER_FRAMES_MAX, or fewer without bpf_loop */     \
	X(TIME, time)                     /* 1 ms was used up */                                  \
	X(COMPAT, compat)                 /* 32-bit task */                                       \
	X(NO_REGISTERS, no_registers)     /* the user registers could not be found */             \
	X(NO_TABLE, no_table)             /* code whose rows are not there (yet), and no chain */ \
	X(RETURN_ADDRESS, return_address) /* the rows led to what is no caller */                 \
	X(KERNEL_DEPTH, kernel_depth)     /* kernel stack deeper than TM_KERNEL_FRAMES_MAX */

/* Why a frame has no mapping. Stands in the stack as `[reason]`. */
#define TM_UNRESOLVED_REASONS(X)                                                        \
	X(NO_MAPPING, no_mapping)     /* no VMA covers the address */                   \
	X(MAPPING_BUSY, mapping_busy) /* the VMA kept changing under the lookup */      \
	X(MAPPING_DEEP, mapping_deep) /* the tree was deeper than the lookup's bound */ \
	X(FILES_FULL, files_full)     /* no free file number */                         \
	X(OFFSET, offset)             /* file offset beyond TM_FRAME_OFFSET_MAX */

#define TM_ENUM_DROP(upper, lower)       TM_DROP_##upper,
#define TM_ENUM_STOP(upper, lower)       TM_STOP_##upper,
#define TM_ENUM_UNRESOLVED(upper, lower) TM_UNRESOLVED_##upper,
enum tm_drop {
	TM_DROP_REASONS(TM_ENUM_DROP) TM_DROP_N
};
enum tm_stop {
	TM_STOP_REASONS(TM_ENUM_STOP) TM_STOP_N
};
enum tm_unresolved {
	TM_UNRESOLVED_REASONS(TM_ENUM_UNRESOLVED) TM_UNRESOLVED_N
};

/*
 * A frame is one 64-bit word: 63..60 kind, 59 "this offset is a return address" (a reader who
 * looks up the call subtracts one), then by kind. Leaf first.
 */
enum tm_frame_kind {
	TM_FRAME_FILE = 1,       /* 58..40 file number, 39..0 file offset */
	TM_FRAME_ANON = 2,       /* 58..0 user address of anonymous executable memory */
	TM_FRAME_VDSO = 3,       /* 58..0 offset in the vDSO image */
	TM_FRAME_KERNEL = 4,     /* 58..44 module number, 43..0 offset from the module's base */
	TM_FRAME_UNRESOLVED = 5, /* 7..0 enum tm_unresolved */
};
#define TM_FRAME_KIND_SHIFT     60
#define TM_FRAME_RETURN         (1ull << 59)
#define TM_FRAME_FILE_SHIFT     40
#define TM_FRAME_FILE_MAX       0x7ffffu           /* largest file number */
#define TM_FRAME_OFFSET_MAX     ((1ull << 40) - 1) /* largest file offset */
#define TM_FRAME_PAYLOAD        ((1ull << 59) - 1)
#define TM_FRAME_MODULE_SHIFT   44
#define TM_FRAME_MODULE_MAX     0x7fffu
#define TM_FRAME_MODULE_UNKNOWN TM_FRAME_MODULE_MAX /* not in the table: offset is 0 */
#define TM_FRAME_KOFFSET_MAX    ((1ull << 44) - 1)

/*
 * SAMPLE: frames[0 .. kernel_frames) kernel, then user_frames user words, both leaf first. From
 * BPF the kernel words are raw addresses; the collector turns them into TM_FRAME_KERNEL words.
 */
struct tm_sample {
	struct tm_event event;
	char comm[TM_COMM_BYTES]; /* of the thread, at the instant */
	uint16_t kernel_frames;
	uint16_t user_frames;
	uint8_t user_stop;   /* enum tm_stop */
	uint8_t kernel_stop; /* enum tm_stop */
	uint16_t pad;
	uint64_t frames[];
};

/* What makes a file the same file: read from vma->vm_file's inode. */
struct tm_identity {
	uint64_t dev; /* s_dev, kernel encoding (12:20 bits, include/linux/kdev_t.h) */
	uint64_t ino;
	uint64_t size; /* i_size, bytes */
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t generation; /* i_generation */
};

/*
 * Paths and cgroup names travel packed: components leaf first, each closed by a NUL, without
 * slashes: "ls\0bin\0usr\0" is /usr/bin/ls. An empty list is "/". A component that is itself cut
 * (255 bytes) sets TM_PATH_CUT.
 */
struct tm_process {
	struct tm_event event;    /* tid is the sampled thread */
	char comm[TM_COMM_BYTES]; /* of the group leader */
	uint32_t exe_file;        /* file number of mm->exe_file, or TM_FILE_NONE */
	uint32_t ns_level;        /* PID-namespace level of the process; 0 is the initial one */
	uint32_t ns_tgid;         /* its pid in its own PID namespace */
	uint32_t mnt_ns;          /* inode number of its mount namespace */
	uint32_t own_tgid;        /* its pid in the collector's PID namespace; 0 when not visible */
	uint16_t path_bytes;      /* of the executable, in text[] first */
	uint16_t cgroup_bytes;    /* of the cgroup, behind the path */
	char text[];
};
#define TM_FILE_NONE 0xffffffffu

struct tm_file {
	struct tm_event event; /* the sampled thread that met the file first */
	struct tm_identity identity;
	uint32_t number;   /* <= TM_FRAME_FILE_MAX */
	uint32_t own_tid;  /* thread in the collector's PID namespace; 0: not visible */
	uint64_t magic;    /* s_magic of the superblock that the process sees */
	uint64_t vm_start; /* collector only: for map_files */
	uint64_t vm_end;   /* collector only */
	uint32_t mnt_ns;
	uint16_t path_bytes;
	uint16_t pad;
	char text[];
};

struct tm_exit {
	struct tm_event event; /* ktime: start of death; samples follow for some ms */
};

#define TM_EVENT_MAX_BYTES \
	((uint32_t)(sizeof(struct tm_sample) + 8u * (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX)))

/*
 * RETIRE: a file number loses its meaning. ktime: no sample older than it has the number's next
 * meaning, none younger its old one, and W has passed it before this record is written.
 */
struct tm_retire {
	struct tm_event event; /* all but bytes, type and ktime is 0 */
	uint32_t number;
	uint32_t pad;
};

/*
 * What the collector maps, read-only, of each CPU. Written on that CPU only, by BPF.
 */
struct tm_mark {
	uint64_t ktime; /* lower bound of what this level may still emit; 0: nothing */
	uint64_t pad[7];
};

struct tm_cpu_slot { /* one per possible CPU, in an mmap-able array; counters by atomic add */
	struct tm_mark level[TM_NESTING_LEVELS];
	uint64_t depth;   /* levels in use; programs on one CPU nest strictly */
	uint64_t hits;    /* runs of the sampling program, idle and unselected included */
	uint64_t nested;  /* samples of the selection dropped: a fifth level */
	uint64_t no_ring; /* samples of the selection dropped: no ring or scratch for this CPU */
	uint64_t lost_announces; /* announcements and exits that found no level or ring */
	uint64_t pad[3];
};

/* Counted per (CPU, nesting level), each by its only writer; head of the scratch record. */
struct tm_level_counts {
	uint64_t taken;          /* hits within the selection; `nested` and `no_ring` come on top */
	uint64_t ring_full;      /* of those, dropped */
	uint64_t exiting;        /* taken without an mm */
	uint64_t announce_lost;  /* PROCESS, FILE or EXIT records that found no room */
	uint64_t processes_full; /* the table of announced processes was full */
	uint64_t files_full;     /* the table of file numbers was full */
	uint64_t lookups;        /* mapping lookups */
	uint64_t lookup_cached;  /* of those, answered by the per-sample cache */
	uint64_t lookup_retries; /* lookups that began again */
	uint64_t steps_rows;     /* user frames left by a row of a table */
	uint64_t steps_pointer;  /* and by frame pointer */
	uint64_t pad[5];
};

/*
 * What the collector and the BPF programs keep together in maps and in the skeleton's variables.
 */
struct tm_process_key { /* a generation; exec_id 0 in `selected`, whose marks survive an exec */
	uint32_t tgid;
	uint32_t exec_id;
	uint64_t start_boottime;
};

#define TM_PROCESS_EXITED 1 /* EXIT was tried */
#define TM_PROCESS_DEAD \
	2 /* announced when no thread was alive: EXIT may be still to come, or past */

struct tm_process_state { /* of an announced generation, map `processes` */
	uint32_t epoch;   /* in which it was last announced */
	uint32_t
		exited; /* 0; TM_PROCESS_*: then it is not announced again, and goes after an epoch */
	uint64_t seen_ktime; /* of the last announcement or the EXIT */
};

struct tm_file_state { /* of a file number, map `files` */
	struct tm_identity identity;
	uint32_t epoch; /* 0: not announced */
	uint32_t
		retired; /* 1: stands for nothing any more; free again once the collector deletes it */
	uint64_t table; /* reference to its rows (shared/unwind_map.h) */
};

/* What the collector's program change_file does to a file number's entry. */
enum tm_file_change {
	TM_FILE_FORGET, /* announce it again */
	TM_FILE_RETIRE, /* no later sample has the number */
	TM_FILE_TABLE,  /* from now on these are its rows */
};

enum tm_check_status {
	TM_CHECK_ASKED = 0, /* no such thread was met */
	TM_CHECK_FILE = 1,  /* the mapping is of `identity` */
	TM_CHECK_OTHER = 2, /* no mapping there, or one without a file */
	TM_CHECK_BUSY = 3,  /* being modified: ask again */
};

struct tm_check {         /* question and answer of the program check_mapping */
	uint32_t own_tid; /* thread in the collector's PID namespace */
	uint32_t status;  /* enum tm_check_status */
	uint64_t address;
	uint64_t magic; /* s_magic of the superblock that the file's inode is of */
	struct tm_identity identity;
};
