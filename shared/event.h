/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * event - records of the BPF programs, and what those programs share with the collector
 *
 * Shape      fixed header, then a fixed part per type, then a variable tail. Every record is a
 *            multiple of 8 bytes and at most TM_EVENT_MAX_BYTES.
 * Units      ktime: ns of CLOCK_MONOTONIC (bpf_ktime_get_ns). start_boottime: ns of
 *            CLOCK_BOOTTIME. Process numbers are those of the initial PID namespace.
 * Identity   (tgid, start_boottime, exec_id) identifies a process generation; pids are reused, so a
 *            pid alone identifies nothing.
 * Writer     bpf/ writes the records; collector/ checks them, rebases kernel addresses and zeroes
 *            the fields marked "collector only" before it pushes them, in the same layout, into the
 *            shared ring.
 * Trust      the collector does not trust lengths, not even those of its own BPF programs: a record
 *            that fails its check (shared/event_check.h) is dropped and counted (`malformed`).
 */

#include <stdint.h>

#define TM_EVENT_VERSION       2

#define TM_COMM_BYTES          16   /* TASK_COMM_LEN, include/linux/sched.h */
#define TM_KERNEL_FRAMES_MAX   127  /* PERF_MAX_STACK_DEPTH, include/uapi/linux/perf_event.h */
#define TM_USER_FRAMES_MAX     4096 /* deeper stacks are cut, reason `depth` */
#define TM_PATH_MAX            4096 /* packed path bytes; a longer path is cut, TM_PATH_CUT */
#define TM_PATH_COMPONENTS_MAX 128  /* components of one path; more are cut, TM_PATH_CUT */
#define TM_CGROUP_MAX          1024 /* packed cgroup name bytes; longer: cut, TM_CGROUP_CUT */
#define TM_EPOCH_NS \
	15000000000ull      /* each sampled process and file is announced once in this time */
#define TM_NESTING_LEVELS 4 /* unfinished records on one CPU; a fifth is dropped, `nested` */

enum tm_event_type {
	TM_EVENT_SAMPLE = 1,
	TM_EVENT_PROCESS = 2,
	TM_EVENT_FILE = 3,
	TM_EVENT_EXIT = 4,
	TM_EVENT_RETIRE = 5, /* written by the collector, never by BPF */
};

/* tm_event.flags */
#define TM_FLAG_EXITING   (1u << 0)  /* PF_EXITING was set: the mm may be gone */
#define TM_FLAG_KTHREAD   (1u << 1)  /* PF_KTHREAD was set; a missing mm does not imply it */
#define TM_FLAG_IN_EXEC   (1u << 2)  /* inside execve: no user frames, no announcement */
#define TM_FLAG_USER_MODE (1u << 3)  /* user mode was interrupted */
#define TM_FLAG_NO_MM     (1u << 4)  /* exiting, and its mm is already gone */
#define TM_FLAG_IO_WORKER (1u << 5)  /* PF_IO_WORKER or PF_USER_WORKER: no user registers */
#define TM_PATH_CUT       (1u << 8)  /* path exceeds a limit: its last components are kept */
#define TM_PATH_DELETED   (1u << 9)  /* i_nlink was 0 */
#define TM_PATH_UNNAMED   (1u << 10) /* its mount has no path: memfd and the like */
#define TM_CGROUP_CUT     (1u << 11)
#define TM_FLAG_ANONYMOUS (1u << 12) /* PROCESS: the sample has a frame in code of no file */

struct tm_event {
	uint32_t bytes; /* whole record, multiple of 8 */
	uint16_t type;  /* enum tm_event_type */
	uint16_t cpu;   /* where it was written */
	uint64_t ktime; /* ns; never below the mark published before it (HACKING, The watermark) */
	uint64_t start_boottime; /* of the group leader */
	uint32_t tgid;
	uint32_t tid;
	uint32_t exec_id; /* task->self_exec_id */
	uint32_t flags;   /* TM_FLAG_*, TM_PATH_* */
};

/*
 * Why a hit within the selection did not become an exported sample. The names are the same in the
 * completeness line, the JSON keys and the HTML page.
 */
#define TM_DROP_REASONS(X)                                                                         \
	X(RING_FULL, ring_full)             /* the CPU's BPF ring was full */                      \
	X(NESTED, nested)                   /* a fifth unfinished record on one CPU */             \
	X(NO_RING, no_ring)                 /* a CPU that has no ring yet */                       \
	X(MALFORMED, malformed)             /* a record that failed its check in the collector */  \
	X(SHARED_FULL, shared_full)         /* the shared ring was full */                         \
	X(BAD_RECORD, bad_record)           /* a record that failed its check in the symbolizer */ \
	X(MEMORY, memory)                   /* the aggregation's byte budget was spent */          \
	X(COLLECTOR_DIED, collector_died)   /* taken, but not handed over before it died */        \
	X(SYMBOLIZER_DIED, symbolizer_died) /* handed over, but not exported before it died */

/* Why a user or kernel stack does not reach its root. Shown as `[truncated: reason]`. */
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
	X(NO_TABLE, no_table)             /* no unwind table (yet), and no frame-pointer chain */ \
	X(RETURN_ADDRESS, return_address) /* the table led to an address that is no caller */     \
	X(KERNEL_DEPTH, kernel_depth)     /* kernel stack deeper than TM_KERNEL_FRAMES_MAX */

/* Why a frame has no mapping. Shown in the stack as `[reason]`. */
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
 * A frame is an encoded address of 64 bits: 63..60 kind, 59 "this is a return address" (subtract
 * one to look up the call), 58..0 depends on the kind. Stacks are stored leaf first.
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
#define TM_FRAME_MODULE_SHIFT   44
#define TM_FRAME_MODULE_MAX     0x7fffu
#define TM_FRAME_MODULE_UNKNOWN TM_FRAME_MODULE_MAX /* in no known module: offset is 0 */
#define TM_FRAME_KOFFSET_MAX    ((1ull << 44) - 1)

/*
 * SAMPLE: frames[0 .. kernel_frames) are kernel frames, then come user_frames user frames, both
 * leaf first. BPF writes kernel frames as raw addresses; the collector encodes them as
 * TM_FRAME_KERNEL.
 */
struct tm_sample {
	struct tm_event event;
	char comm[TM_COMM_BYTES]; /* of the thread, when it was sampled */
	uint16_t kernel_frames;
	uint16_t user_frames;
	uint8_t user_stop;   /* enum tm_stop */
	uint8_t kernel_stop; /* enum tm_stop */
	uint16_t pad;
	uint64_t frames[];
};

/*
 * Identifies one state of a file; read from the inode of vma->vm_file.
 *
 * ctime is there because mtime can be set: whoever overwrites a library in place can restore it.
 * But ctime also changes with chmod, link, rename and unlink, which leave the contents as they
 * are: every upgrade of a package unlinks libraries that programs go on using. So it is used thus:
 *
 * Number     the kernel side looks a number up by everything but ctime, which is the one of the
 *            first sample with that number for as long as the number lives. A chmod gives no new
 *            number, and tables that were made stay.
 * Reading    whoever reads the file believes the bytes only if ctime, too, is the announced one:
 *            the collector before it hands a descriptor over, the symbolizer before and after the
 *            parser reads. So the contents have not changed since the first sample, and names made
 *            from them are those of all samples of the number so far.
 * Change     a file that changed before it was read gets no table under this number. The collector
 *            retires the number after a pause; the next sample gets another one, with the new
 *            ctime. The symbolizer, its stores and its cache on disk compare identities whole, so
 *            these are two files.
 * Residual   the kernel's ctime advances by ticks (up to 10 ms), and a write to a shared mapping
 *            on tmpfs changes no time at all. A file that is overwritten after it was read, with
 *            mtime and size as before, goes on under its old number and names until that number is
 *            retired.
 */
struct tm_identity {
	uint64_t dev; /* s_dev, kernel encoding (12:20 bits, include/linux/kdev_t.h) */
	uint64_t ino;
	uint64_t size; /* i_size, bytes */
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t generation; /* i_generation */
	uint64_t ctime_ns;   /* i_ctime: seconds * 10^9 + ns, modulo 2^64 */
};
#define TM_NS_PER_SECOND 1000000000ull

/*
 * Paths and cgroup names are packed: components leaf first, each with its NUL, without slashes:
 * "ls\0bin\0usr\0" is /usr/bin/ls. An empty list is "/". A component that is itself cut (255 bytes)
 * sets TM_PATH_CUT. shared/path.h unpacks them.
 */
struct tm_process {
	struct tm_event event;    /* tid is the sampled thread */
	char comm[TM_COMM_BYTES]; /* of the group leader */
	uint32_t exe_file;        /* file number of mm->exe_file, or TM_FILE_NONE */
	uint32_t ns_level;        /* PID-namespace level of the process; 0 is the initial one */
	uint32_t ns_tgid;         /* its pid in its own PID namespace */
	uint32_t mnt_ns;          /* inode number of its mount namespace */
	uint32_t own_tgid;        /* its pid in the collector's PID namespace; 0: not visible */
	uint32_t euid;            /* of the sampled thread, in the initial user namespace */
	uint16_t path_bytes;      /* of the executable's path, first in text[] */
	uint16_t cgroup_bytes;    /* of the cgroup's name, behind the path */
	uint32_t pad;
	char text[];
};
#define TM_FILE_NONE 0xffffffffu

struct tm_file {
	struct tm_event event; /* the first sampled thread that had the file mapped */
	struct tm_identity identity;
	uint32_t number;   /* <= TM_FRAME_FILE_MAX */
	uint32_t own_tid;  /* thread in the collector's PID namespace; 0: not visible */
	uint64_t magic;    /* s_magic of the superblock of the mapped file */
	uint64_t vm_start; /* collector only: the mapping, for map_files */
	uint64_t vm_end;   /* collector only */
	uint32_t mnt_ns;
	uint16_t path_bytes;
	uint16_t pad;
	char text[];
};

struct tm_exit {
	struct tm_event event; /* ktime: when the exit began; samples follow for some ms */
};

#define TM_EVENT_MAX_BYTES \
	((uint32_t)(sizeof(struct tm_sample) + 8u * (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX)))

/*
 * RETIRE: a file number no longer means its file. Samples older than ktime that have the number
 * mean this file, younger ones the number's next file; W has passed ktime before this record is
 * written.
 */
struct tm_retire {
	struct tm_event event; /* all but bytes, type and ktime is 0 */
	uint32_t number;
	uint32_t pad;
};

/*
 * Per-CPU state, written by BPF on that CPU only and mapped read-only by the collector.
 */
struct tm_mark {
	uint64_t ktime; /* lower bound of the ktime that this level may still emit; 0: none */
	uint64_t pad[7];
};

struct tm_cpu_slot { /* one per possible CPU, in an mmap-able array; counters by atomic add */
	struct tm_mark level[TM_NESTING_LEVELS];
	uint64_t depth;   /* levels in use; programs on one CPU nest strictly */
	uint64_t hits;    /* runs of the sampling program, idle and unselected tasks included */
	uint64_t nested;  /* samples of the selection dropped: a fifth level */
	uint64_t no_ring; /* samples of the selection dropped: no ring or scratch for this CPU */
	uint64_t lost_announces; /* announcements and exits that found no level or ring */
	uint64_t pad[3];
};

/* Counters of one nesting level of one CPU, its only writer; at the head of its scratch record. */
struct tm_level_counts {
	uint64_t taken;          /* hits within the selection, without `nested` and `no_ring` */
	uint64_t ring_full;      /* of those, dropped */
	uint64_t exiting;        /* taken without an mm */
	uint64_t announce_lost;  /* PROCESS, FILE or EXIT records for which the ring was full */
	uint64_t processes_full; /* the table of announced processes was full */
	uint64_t files_full;     /* the table of file numbers was full */
	uint64_t lookups;        /* mapping lookups */
	uint64_t lookup_cached;  /* of those, answered by the mapping cache */
	uint64_t lookup_retries; /* lookups repeated because the VMA tree changed */
	uint64_t steps_by_table; /* user frames unwound by a rule of an unwind table */
	uint64_t steps_by_frame_pointer; /* and by frame pointer */
	uint64_t pad[5];
};

/*
 * Keys and values of the BPF maps and variables that the collector and the BPF programs share.
 */
struct tm_process_key { /* a generation; exec_id is 0 in map `selected`, so that exec keeps it */
	uint32_t tgid;
	uint32_t exec_id;
	uint64_t start_boottime;
};

#define TM_PROCESS_EXITED 1 /* its EXIT was sent, or lost for want of space */
#define TM_PROCESS_DEAD   2 /* announced with no live thread left; EXIT is past or still to come */

struct tm_process_state { /* of an announced generation, map `processes` */
	uint32_t epoch;   /* in which it was last announced */
	uint32_t exited;  /* TM_PROCESS_*: not announced again, deleted after an epoch; 0: alive */
	uint64_t seen_ktime;      /* of the last announcement or the EXIT */
	uint32_t anonymous_epoch; /* in which it was last announced with TM_FLAG_ANONYMOUS */
	uint32_t pad;
};

struct tm_file_state { /* of a file number, map `files` */
	struct tm_identity identity;
	uint32_t epoch;   /* 0: not announced */
	uint32_t retired; /* 1: no later sample uses the number; reused once the entry is deleted */
	uint64_t table;   /* reference to its unwind table (shared/unwind_map.h) */
};

/* What the BPF program change_file, run by the collector, does to a file number's entry. */
enum tm_file_change {
	TM_FILE_FORGET, /* announce it again */
	TM_FILE_RETIRE, /* no later sample has the number */
	TM_FILE_TABLE,  /* sets its unwind table */
};

enum tm_check_status {
	TM_CHECK_UNANSWERED = 0, /* the iterator found no such thread */
	TM_CHECK_FILE = 1,       /* the mapping is of `identity` */
	TM_CHECK_OTHER = 2,      /* no mapping there, or one without a file */
	TM_CHECK_BUSY = 3,       /* the mapping is being modified: try again */
};

struct tm_check {         /* request and answer of the BPF program check_mapping */
	uint32_t own_tid; /* thread in the collector's PID namespace */
	uint32_t status;  /* enum tm_check_status */
	uint64_t address;
	uint64_t magic; /* s_magic of the superblock of the file's inode */
	struct tm_identity identity;
};
