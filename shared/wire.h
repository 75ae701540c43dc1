/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * wire - messages, counts and kernel symbols between collector and symbolizer
 *
 * Shape      1. the shared ring (shared/ring.h) carries the records of shared/event.h, checked and
 *               rebased; 2. the counts page below; 3. a SEQPACKET socket with fixed-size messages,
 *               some with one file descriptor.
 * Trust      each side treats the other as hostile: every field is copied once and checked. The
 *            symbolizer sends HELLO, CREDIT, UNWIND_TABLE, UNWIND_FAILED, FILE_AGAIN, DEBUG_FILE,
 *            ASK_THREADS, RATE, REPORTED and AHEAD only: no path, pid or address, and at most one
 *            component of a path.
 * Errors     a message of another size, of an unknown kind or at the wrong time closes the
 *            connection and is counted.
 */

#include <stdint.h>

#include "shared/bpf_state.h"

#define TM_WIRE_VERSION       14
#define TM_FILES_IN_FLIGHT    32  /* FILE messages that may be sent without further credit */
#define TM_PATHS_IN_FLIGHT    4   /* DEBUG_FILE messages that may be without an answer */
#define TM_WIRE_TEXT_MAX      256 /* bytes */
#define TM_THREADS_MAX_BYTES  (32u << 20) /* of one answer; further threads are left out */
#define TM_REPORTED_MAX_BYTES (16u << 10)
#define TM_BUILD_ID_MIN       4 /* bytes; a shorter one is none */
#define TM_BUILD_ID_MAX       64
#define TM_WEIGHTS_N          11 /* on-CPU: 2^0 to 2^10 periods */
#define TM_HISTOGRAM_BUCKETS  48

/* --- the counts, in the writer's header page of the shared ring ------------------------------- */

/* Samples and the ns that they stand for, of the kind off-CPU. */
struct tm_off_cpu_counts {
	struct tm_off_cpu_seen seen;
	uint64_t taken;
	uint64_t taken_ns;
	uint64_t pushed;
	uint64_t pushed_ns;
	uint64_t drops[TM_DROP_N];
	uint64_t drops_ns[TM_DROP_N];
	/* not a sum: a time of this length is sampled, a shorter one by chance */
	uint64_t stratum_ns;
};

/* Sampled files. */
struct tm_file_counts {
	uint64_t opened;
	uint64_t refused;   /* opened, but not the file that was sampled */
	uint64_t failed;    /* attempts to open one that gave no descriptor */
	uint64_t abandoned; /* workers of the opener that hang */
};

/* Unwind tables. */
struct tm_install_counts {
	uint64_t installed;
	uint64_t refused;       /* not due, invalid, or too large */
	uint64_t evicted;       /* in favour of another one */
	uint64_t failed;        /* could not be made; their files are sent again */
	uint64_t ahead;         /* installed before their files were sampled; none of the others */
	uint64_t ahead_refused; /* invalid, too many, too large, too late, or announced before */
};

/* Written by the collector once per round. All but entries and tables only grow. */
struct tm_counts {
	uint64_t hits;   /* runs of the sampling program */
	uint64_t owed;   /* hits that the perf events owe: count / period */
	uint64_t taken;  /* read after the round's drain, so never below pushed + dropped */
	uint64_t pushed; /* samples pushed into the shared ring */
	uint64_t drops[TM_DROP_N];
	struct tm_bpf_counts bpf;
	struct tm_file_counts files;
	uint64_t kernel_unknown;  /* kernel frames outside every known module */
	uint64_t kernel_readings; /* of the kernel's symbols while recording */
	uint64_t violations;      /* invalid messages of a peer */
	uint64_t bpf_ns;          /* run time of our BPF programs, by their own clock */
	uint64_t cpu_ns;          /* of the collector */
	uint64_t measured_ns;     /* ktime at which cpu_ns was read, about once a second */
	uint64_t bpf_map_bytes;
	uint64_t cpus;     /* sampled CPUs */
	uint64_t selected; /* processes left in the selection; meaningful when selecting */
	uint64_t rounds;   /* publishes of W */
	/* Publishes, by now - W just before each, when that is largest (shared/histogram.h). */
	uint64_t lags[TM_HISTOGRAM_BUCKETS];
	uint64_t lag_max_ns;      /* of all */
	uint64_t files_retired;   /* file numbers freed */
	uint64_t processes_known; /* entries in the BPF maps, at the last measurement */
	uint64_t files_known;
	uint64_t attached;    /* symbolizers that attached so far */
	uint64_t tables;      /* in the BPF maps now */
	uint64_t table_bytes; /* of those */
	struct tm_install_counts installs;
	uint64_t weight_ns[TM_WEIGHTS_N]; /* time in which a hit stood for 2^index periods */
	struct tm_off_cpu_counts off_cpu; /* what stands above is on-CPU's alone */
};

/* --- collector -> symbolizer --------------------------------------------------------------------
 */

/* What this collector has not pushed when it ends, the next one pushes. */
#define TM_WIRE_GOES_ON 1
/* Sampling began before this symbolizer came: AHEAD is too late. */
#define TM_WIRE_BEGUN 2

enum tm_wire_kind {
	TM_WIRE_ATTACH = 1,  /* descriptor 1 of 2: data region; `value` = generation, `form` =
				* TM_WIRE_GOES_ON, TM_WIRE_BEGUN */
	TM_WIRE_READER = 2,  /* descriptor 2 of 2: reader page */
	TM_WIRE_KERNEL = 3,  /* sealed table of kernel symbols (struct tm_kernel_table); sent
				* again when there is a new one */
	TM_WIRE_FILE = 4,    /* `number`; descriptor open for reading, checked to be that file;
				* `value` = ktime of the FILE record that it answers */
	TM_WIRE_NO_FILE = 5, /* `number`, `value` = enum tm_no_file; no descriptor */
	TM_WIRE_END = 6,     /* the ring gets no further record; final counts are published. Only
				* FILE_AGAIN and DEBUG_FILE are answered from now on, until the
				* symbolizer shuts its end down, or for a bounded time */
	/* answers FILE_AGAIN: `number`; with a descriptor as in FILE, and the same `value`, but no
	 * unwind table is due. Without one it could not be opened: `value` = enum tm_no_file */
	TM_WIRE_REOPENED = 7,
	/* answers the DEBUG_FILE with this `number`, `value` and `request`: a descriptor open for
	 * reading, or `form` = enum tm_no_file */
	TM_WIRE_OPENED = 8,
	/* The perf map of the process `number`, whose announcement with TM_FLAG_ANONYMOUS has the
	 * ktime `value`: a descriptor open for reading, or `form` = enum tm_no_file */
	TM_WIRE_PERF_MAP = 9,
	/* answers ASK_THREADS: a sealed memfd of THREAD records, rebased, one behind the other;
	 * `value` = ktime at which reading them ended. Without one: there is no thread; or, with
	 * `value` = 0, they could not be read. */
	TM_WIRE_THREADS = 10,
	/* before ATTACH, with --memory-max: the bytes that are left for the symbolizer's budgets */
	TM_WIRE_MEMORY = 11,
	/* the blob that the last symbolizer sent with REPORTED, passed on unread: what it had
	 * reported. Follows READER; only to a symbolizer that comes after another one. */
	TM_WIRE_RESUME = 12,
	TM_WIRE_HELLO = 16,  /* symbolizer -> collector: `value` = TM_WIRE_VERSION */
	TM_WIRE_CREDIT = 17, /* symbolizer -> collector: `value` more FILE messages may be sent */
	/* symbolizer -> collector: the sealed unwind table (shared/unwind_table.h) of file
	 * `number`, or of TM_UNWIND_MAP_VDSO; `value` = that of the FILE message that it answers. A
	 * file without unwind information gets a table without rows: that answer is final. */
	TM_WIRE_UNWIND_TABLE = 18,
	/* symbolizer -> collector: the file of that FILE message could not be parsed now, so it is
	 * unknown whether it has unwind information. It has no table yet and is to be sent again.
	 * Without a descriptor; never for the vDSO. */
	TM_WIRE_UNWIND_FAILED = 19,
	/* symbolizer -> collector: the file of that FILE message, which has been answered, is to be
	 * opened once more. REOPENED answers it; or, where the collector does not know any more how
	 * to open it, another FILE message after its next sample. Without a descriptor; never for
	 * the vDSO. */
	TM_WIRE_FILE_AGAIN = 20,
	/* symbolizer -> collector: a separate debug file of the file of that FILE message is
	 * wanted. `form` says what `text` is; `request` is the symbolizer's own. */
	TM_WIRE_DEBUG_FILE = 21,
	/* symbolizer -> collector, with --off-cpu: what all threads do now; at most one is without
	 * an answer */
	TM_WIRE_ASK_THREADS = 22,
	/* symbolizer -> collector, with --cpu-max: a hit is to stand for 2^`number` periods of the
	 * recording, and the samples of an owner may take `value` ns a second; 0: any
	 * time. The collector takes the last such wish once a second, within its limits. */
	TM_WIRE_RATE = 23,
	/* symbolizer -> collector, where both are services: a sealed memfd of at most
	 * TM_REPORTED_MAX_BYTES that says what was reported so far, for the next symbolizer. The
	 * collector keeps the last one and does not look into it. */
	TM_WIRE_REPORTED = 24,
	/* symbolizer -> collector, before the first sample: a sealed unwind table, as above, of the
	 * file whose struct tm_identity is `text`, which may be sampled. Without both: no other one
	 * comes, for which the first sample waits (SESSION_AHEAD_MS of collector/session.h). */
	TM_WIRE_AHEAD = 25,
};

/* By what a separate debug file is found. ROOT: each of the folders of --debug-root. */
enum tm_debug_form {
	TM_DEBUG_BUILD_ID = 1, /* its bytes: ROOT/.build-id/xx/rest.debug */
	TM_DEBUG_LINK, /* a name: in the file's folder, in its .debug, below ROOT and its folder */
	TM_DEBUG_ALT,  /* the name of a file that several debug files share: below ROOT/.dwz */
};

/* Why a sampled file was not opened. */
#define TM_NO_FILE_REASONS(X)                                                                   \
	X(UNANSWERED, unanswered)      /* no answer when the report was made; never sent */     \
	X(GONE, gone)                  /* process and path gone, or not visible from here */    \
	X(OTHER, another_file)         /* what the path names now is not the sampled file */    \
	X(CHANGED, changed)            /* the sampled file, changed since its first sample */   \
	X(TYPE, not_regular)           /* not a regular file */                                 \
	X(DENIED, no_permission)       /* the opener lacks the capability for it */             \
	X(OWNER, another_user)         /* a perf map that is not the process's own */           \
	X(STALE, older_than_process)   /* a perf map that was there before its process */       \
	X(LIMIT, too_many)             /* too many perf maps were open already */               \
	X(SERVED, refused_file_system) /* a process serves the file system (FUSE): may hang */  \
	X(TIMEOUT, deadline)           /* opening it hung; the opener's worker was abandoned */ \
	X(OPENER, opener_failed)       /* the opener or its worker ended before it answered */  \
	X(ERROR, error)                /* the kernel refused for another reason */

#define TM_ENUM_NO_FILE(upper, lower) TM_NO_FILE_##upper,
enum tm_no_file {
	TM_NO_FILE_REASONS(TM_ENUM_NO_FILE) TM_NO_FILE_N
};

struct tm_wire {
	uint32_t kind;   /* enum tm_wire_kind */
	uint32_t number; /* file number */
	uint64_t value;
	uint32_t request; /* this field and the next ones are 0 in messages that do not say more */
	uint16_t form;
	uint16_t text_bytes; /* of `text`, which has no NUL */
	uint8_t text[TM_WIRE_TEXT_MAX];
};

/*
 * The sealed kernel table, a memfd: header, modules, symbols sorted by (module, offset), then the
 * names, each NUL-terminated. No address is in it. Module 0 is the kernel itself. A later table
 * replaces it: it has more modules and symbols, and all (module, offset) keep their names.
 */
#define TM_KERNEL_MAGIC       0x314b4d54u /* "TMK1" */
#define TM_KERNEL_MODULES_MAX 4096u
#define TM_KERNEL_SYMBOLS_MAX (1u << 20)
#define TM_KERNEL_NAMES_MAX   (64u << 20)

struct tm_kernel_table {
	uint32_t magic;
	uint32_t modules;    /* struct tm_kernel_module[modules] follow */
	uint32_t symbols;    /* struct tm_kernel_symbol[symbols] follow */
	uint32_t name_bytes; /* then the names */
};
struct tm_kernel_module {
	uint32_t name; /* offset into the names */
	uint32_t first_symbol;
	uint64_t bytes; /* span from the module's base */
};
struct tm_kernel_symbol {
	uint64_t offset; /* from the module's base */
	uint32_t name;
	uint32_t module;
};
