/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener - what the collector and its opener say to each other
 *
 * Shape      one SEQPACKET socketpair, fixed-size messages; one ask is open at a time:
 *            ASK -> (ANSWER opened -> VERDICT refused)* -> one of
 *            ANSWER opened -> VERDICT accepted -> ANSWER handed + descriptor, or ANSWER with a reason.
 *            While an ask is open its worker answers and reads the verdicts, otherwise the server reads.
 * Proof      an opened file is mapped, untouched, for one page in the worker, which stays until the
 *            verdict: so the collector can ask the kernel which file lies at (worker, address).
 * Served     closing a file of a FUSE server waits for that server, uninterruptibly. So the collector holds
 *            no descriptor before its verdict, and refuses files that a process serves.
 * Trust      the opener is the collector's own child, yet holds what the collector must not:
 *            every field is range-checked; an answer of another id is late and closed.
 */

#include <stdint.h>

#include "shared/wire.h"

#define OPENER_DEADLINE_MS   1000 /* per ask, then its worker is abandoned; for a loaded host */
#define OPENER_ABANDONED_MAX 8    /* workers that even SIGKILL did not end; then TIMEOUT at once */
#define OPENER_PATH_BYTES    (TM_PATH_MAX + 1)

enum opener_kind {
	OPENER_ASK = 1,
	OPENER_VERDICT,
};

struct opener_request {      /* collector -> opener */
	uint32_t kind;       /* enum opener_kind */
	uint32_t id;         /* of the ask; a verdict repeats it */
	uint32_t own_tid;    /* thread to look through, in our PID namespace; 0: not visible */
	uint32_t mnt_ns;     /* inode number of its mount namespace */
	uint32_t accepted;   /* VERDICT: the file is the sampled one */
	uint32_t path_bytes; /* 0: no usable path */
	uint64_t vm_start;   /* the mapping, for map_files */
	uint64_t vm_end;
	char path[OPENER_PATH_BYTES]; /* relative to a root, NUL-terminated, no "." or ".." */
};

#define OPENER_OPENED 0u                       /* else an enum tm_no_file, */
#define OPENER_HANDED ((uint32_t)TM_NO_FILE_N) /* or this, with the descriptor */

struct opener_answer { /* opener -> collector */
	uint32_t id;
	uint32_t status;    /* OPENER_OPENED, OPENER_HANDED or enum tm_no_file */
	uint32_t worker;    /* pid that holds the mapping */
	uint32_t abandoned; /* workers abandoned so far */
	uint64_t address;   /* of the mapped page */
};
