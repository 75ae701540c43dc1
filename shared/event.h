/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * event - records of the BPF programs
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

#define TM_EVENT_VERSION     12

#define TM_COMM_BYTES        16   /* TASK_COMM_LEN, include/linux/sched.h */
#define TM_KERNEL_FRAMES_MAX 127  /* PERF_MAX_STACK_DEPTH, include/uapi/linux/perf_event.h */
#define TM_USER_FRAMES_MAX   4096 /* deeper stacks are cut, reason `depth` */
#define TM_PATH_MAX          4096 /* packed path bytes; a longer path is cut, TM_PATH_CUT */
#define TM_CGROUP_MAX        1024 /* packed cgroup name bytes; longer: cut, TM_CGROUP_CUT */
#define TM_CONTEXT_MAX       4096 /* bytes of a process context; a larger one is left out */
#define TM_EPOCH_NS \
	15000000000ull /* each sampled process and file is announced once in this time */

enum tm_event_type {
	TM_EVENT_SAMPLE = 1,
	TM_EVENT_PROCESS = 2,
	TM_EVENT_FILE = 3,
	TM_EVENT_EXIT = 4,
	TM_EVENT_RETIRE = 5, /* written by the collector, never by BPF */
	TM_EVENT_THREAD = 6,
	TM_EVENT_CONTEXT = 7,
	TM_EVENT_METHOD = 8,
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

struct tm_process_key { /* a generation; exec_id is 0 in map `selected`, so that exec keeps it */
	uint32_t tgid;
	uint32_t exec_id;
	uint64_t start_boottime;
};

/*
 * Why a hit within the selection did not become an exported sample. The names are the same in the
 * completeness line, the JSON keys and the HTML page.
 */
#define TM_DROP_REASONS(X)                                                                         \
	X(RING_FULL, ring_full)             /* the CPU's BPF ring was full */                      \
	X(NESTED, nested)                   /* another program of its kind ran on this CPU */      \
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
	X(AHEAD, ahead)                   /* taken before a wait: 256 frames, 50 us */            \
	X(NO_STACK, no_stack)             /* that stack was lost */                               \
	X(KERNEL_DEPTH, kernel_depth)     /* deeper than the kernel walks: TM_KERNEL_FRAMES_MAX */

/* Why a frame has no mapping. Shown in the stack as `[reason]`. */
#define TM_UNRESOLVED_REASONS(X)                                                          \
	X(NO_MAPPING, no_mapping)       /* no VMA covers the address */                   \
	X(MAPPING_BUSY, mapping_busy)   /* the VMA kept changing under the lookup */      \
	X(MAPPING_DEEP, mapping_deep)   /* the tree was deeper than the lookup's bound */ \
	X(FILES_FULL, files_full)       /* no free file number */                         \
	X(OFFSET, offset)               /* file offset beyond TM_FRAME_OFFSET_MAX */      \
	X(FILES_LIMITED, files_limited) /* whoever runs it has had its share of them */

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
	TM_FRAME_METHOD = 6,     /* 58..19 method number (tm_method), 18..0 place in it */
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
#define TM_FRAME_METHOD_SHIFT   19
#define TM_FRAME_METHOD_MAX     ((1ull << 40) - 1) /* largest method number; 0: it has none */
#define TM_FRAME_PLACE_MAX      ((1u << 19) - 1)   /* not known, or beyond */

#define TM_OFF_CPU_VALUE_MAX    (1ull << 56) /* ns: more than two years; no thread waits longer */
/* ns: the longest period, what is carried to it, and the hits that a sample stands for */
#define TM_ON_CPU_VALUE_MAX (1ull << 38)

enum tm_sample_kind {
	TM_SAMPLE_ON_CPU = 0,  /* by the timer: its period */
	TM_SAMPLE_OFF_CPU = 1, /* by the scheduler's hooks: a time without a CPU, when it ends */
	TM_SAMPLE_KINDS_N,
	TM_SAMPLE_WAKER = TM_SAMPLE_KINDS_N, /* of no value: a part of an off-CPU sample */
};

/* What a thread does, or why it does not run. The names are the same in every output. */
#define TM_THREAD_STATES(X)                                                                 \
	X(ON_CPU, on_cpu)                   /* it runs */                                   \
	X(RUNNABLE, runnable)               /* woken, it waits for a CPU */                 \
	X(PREEMPTED, preempted)             /* it could go on, but another thread runs */   \
	X(YIELDED, yielded)                 /* the same, after sched_yield() */             \
	X(INTERRUPTIBLE, interruptible)     /* it sleeps until an event or a signal */      \
	X(UNINTERRUPTIBLE, uninterruptible) /* it sleeps until an event */                  \
	X(IO_WAIT, io_wait)                 /* the same, and the event is the end of I/O */ \
	X(STOPPED, stopped)                 /* by a signal or a debugger */                 \
	X(NEW, new)                         /* made, it waits for its first CPU */

#define TM_ENUM_THREAD(upper, lower) TM_THREAD_##upper,
enum tm_thread_state {
	TM_THREAD_STATES(TM_ENUM_THREAD) TM_THREAD_STATES_N
};

/*
 * SAMPLE: frames[0 .. kernel_frames) are kernel frames, then come user_frames user frames, both
 * leaf first. BPF writes kernel frames as raw addresses; the collector encodes them as
 * TM_FRAME_KERNEL. A sleep and the wait for a CPU behind it are two off-CPU samples of one stack.
 *
 * Where the kernel runs no program in a thread's own context behind a context switch, a stack is
 * taken before the time begins: such a record has a `stack` that is its `since`, and neither
 * duration nor value. The samples that end the time have the same `stack`, thread and generation,
 * and no frames: theirs are those of that record.
 *
 * A sample of kind WAKER is taken where a sleep ends, of the thread that runs there, which may have
 * been interrupted: it has the thread that slept and the beginning of its sleep. The off-CPU sample
 * of the sleep has the same `since`, and comes later.
 */
struct tm_sample {
	struct tm_event event;
	char comm[TM_COMM_BYTES]; /* of the thread, when it was sampled */
	uint16_t kernel_frames;
	uint16_t user_frames;
	uint8_t user_stop;   /* enum tm_stop */
	uint8_t kernel_stop; /* enum tm_stop */
	uint8_t kind;        /* enum tm_sample_kind */
	uint8_t state;       /* enum tm_thread_state; OFF_CPU alone has another one than ON_CPU */
	uint64_t since; /* off-CPU: ktime at which the state began; on-CPU: 0, as the next two */
	union {
		uint64_t duration;      /* ns in that state */
		uint64_t sleeper_start; /* WAKER: of the group leader of the thread that slept */
	};
	/* ns that it stands for: off-CPU at least `duration`; on-CPU 0 for the period of the
	 * recording, or what the governor has made of it, for each hit; WAKER: 0 */
	uint64_t value;
	union {
		uint64_t stack; /* 0: its own; else the `since` of the record that has it */
		struct {
			uint32_t sleeper_tgid;
			uint32_t sleeper_tid;
		};
	};
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
 *            number, and tables that were made stay. (A number that was there before the first
 *            sample is that sample's only if ctime, too, is the same: bpf/file.bpf.h.)
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
 * Growing    a jitdump grows while its process runs. Device, inode and generation alone identify
 *            it: size and times are 0 in its identity (tm_identity_grows of
 *            shared/event_check_ring.h).
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

/*
 * A jitdump is looked for in steps, once a sample has a frame in code of no file: jitdump_file is
 * TM_FILE_NONE without TM_FLAG_ANONYMOUS, and with it until the jitdump is found. Its FILE record
 * comes before.
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
	uint32_t jitdump_file;    /* file number of the jitdump it has mapped, or TM_FILE_NONE */
	uint16_t path_bytes;      /* of the executable's path, first in text[] */
	uint16_t cgroup_bytes;    /* of the cgroup's name, behind the path */
	char text[];
};
#define TM_FILE_NONE 0xffffffffu

/*
 * CONTEXT: what a process says of itself in its memory (bpf/process_context.bpf.h): a message
 * opentelemetry.proto.common.v1.ProcessContext, as it is. Behind PROCESS, in each epoch. A record
 * without text says why there is none by text_bytes: 0, the process has it no longer; more than
 * TM_CONTEXT_MAX, it is too long; otherwise it could not be read.
 */
struct tm_context {
	struct tm_event event; /* tid is the sampled thread */
	uint64_t published;    /* by the process, which chooses the clock */
	uint32_t text_bytes;   /* as the process says */
	uint32_t pad;
	uint8_t text[]; /* text_bytes, or none */
};

/* So many of the owners that use a file are told apart; the last stands for all further ones. */
#define TM_FILE_USERS 8

struct tm_file {
	struct tm_event event; /* the first sampled thread that had the file mapped */
	struct tm_identity identity;
	uint32_t number;  /* <= TM_FRAME_FILE_MAX */
	uint32_t own_tid; /* thread in the collector's PID namespace; 0: not visible */
	uint64_t magic; /* s_magic of the superblock of its inode; behind an overlay the real one */
	uint64_t vm_start; /* collector only: the mapping, for map_files */
	uint64_t vm_end;   /* collector only */
	uint32_t mnt_ns;
	uint16_t path_bytes;
	uint16_t owner; /* the same for all files that one owner brought (bpf/owner.bpf.h) */
	uint16_t users[TM_FILE_USERS]; /* collector only: such values of who uses it; 0: nobody */
	char text[];
};

struct tm_exit {
	struct tm_event event; /* ktime: when the exit began; samples follow for some ms */
};

/*
 * METHOD: a function of a language runtime, as it was in the memory of the process when a sample
 * had a frame of it. Again in each epoch in which it is sampled. Its number means this function of
 * this process generation and no other one, as long as the BPF programs are loaded; a function may
 * have several. The frame of the runtime's own interpreter follows behind its METHOD frames in a
 * stack.
 *
 * Texts lie in text[] one behind the other: class, name, signature, file, line table. CPython has
 * neither class nor signature, and its texts are of characters of name_width and file_width bytes
 * (1: Latin-1, 2: UCS-2, 4: UCS-4, in the order of this machine). Those of Java are modified UTF-8,
 * as class files have them: class "java/lang/String", signature "(I)C"; both widths are 1.
 * Parts      a line table that is longer than TM_METHOD_LINES_MAX goes as up to TM_METHOD_PARTS,
 *            each in a record of its own: those behind the first have no other text, and follow in
 *            further samples, on any CPU, each with a later ktime.
 * Place      from the beginning of the function: CPython: code units, two bytes of bytecode; Java:
 *            bytes of bytecode; TM_METHOD_STUB: bytes of machine code.
 */
struct tm_method {
	struct tm_event event; /* tid is the sampled thread */
	uint64_t number;       /* 1 .. TM_FRAME_METHOD_MAX */
	uint32_t runtime;      /* enum tm_runtime_kind of shared/runtime.h */
	uint32_t version;      /* of it: says how the line table is encoded */
	uint32_t first_line;
	uint16_t flags;      /* TM_METHOD_* */
	uint16_t name_bytes; /* this and the next two: of the texts */
	uint16_t file_bytes;
	uint16_t lines_bytes;
	uint8_t name_width;
	uint8_t file_width;
	uint16_t class_bytes;
	uint16_t signature_bytes;
	uint16_t lines_part; /* of its line table, from 0 */
	uint16_t pad[2];
	char text[];
};
#define TM_METHOD_FLAGS 0x7fu /* those of shared/method.h */

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
 * THREAD: what a thread did since it was seen first. Written to the ring when it ends, and for
 * those that live read by the collector's iterator (TM_WIRE_THREADS). ktime says when.
 */
struct tm_thread {
	struct tm_event event;
	char comm[TM_COMM_BYTES];
	uint64_t seen;                   /* ktime */
	uint64_t since;                  /* ktime at which `state` began */
	uint64_t ns[TM_THREAD_STATES_N]; /* by state, without the time since `since` */
	uint16_t state;                  /* enum tm_thread_state; of an ended one STATES_N */
	uint16_t kernel_frames;          /* of a thread that sleeps, leaf first, as in SAMPLE */
	uint32_t flags;                  /* TM_THREAD_* */
	uint64_t frames[];
};
/* This sleep will end in a sample whose value is its whole duration, so what has passed of it may
 * be reported now and subtracted then. */
#define TM_THREAD_COUNTED (1u << 0)
