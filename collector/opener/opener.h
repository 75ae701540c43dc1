/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opener - messages between the collector and its opener
 *
 * Shape      SEQPACKET sockets, fixed-size messages. A request comes with a socket of its own, for
 *            its worker:
 *            ANSWER started -> (ANSWER opened -> VERDICT refused)* -> one of
 *            ANSWER opened -> VERDICT accepted -> ANSWER handed + descriptor, or ANSWER with a
 *            reason. If it ends without such an answer, there is no worker, or that died, at its
 *            deadline if this has passed. The first socket carries requests alone.
 * Start      no path is touched before the answer "started". Without it, it is the opener that does
 *            not run, and no file hangs.
 * Kinds      ASK: the sampled file that a FILE record names. PATHS: the first that exists of some
 *            paths that the collector made, below the root of the sampled thread, then below the
 *            opener's own. For these the worker gives up every capability once it has both roots:
 *            symbolic links are followed, but lead nowhere outside the root. The file must be
 *            regular and belong to root or to `owner`, and not everybody may write to it.
 *            PERF_MAP: the one path, below the root of the sampled process only, likewise without
 *            capabilities. The file must be regular and no symbolic link; anybody may own it.
 * Proof      the worker maps one page of the opened file, without accessing it, until the verdict.
 *            So the collector can ask the kernel which file is mapped at (worker, address); of
 *            PATHS, whether it is on a file system that a process serves.
 * FUSE       closing a file of a FUSE server waits for that server, uninterruptibly. So the
 *            collector gets no descriptor before its verdict, and refuses files that a process
 *            serves.
 * Trust      the opener is the collector's own child, but has capabilities that the collector must
 *            not have. The collector checks every field.
 * Deadline   for what may hang: OPENER_DEADLINE_MS from "started", and again from each verdict. In
 *            between, while it waits for the collector, there is none.
 * Limits     OPENER_LANES requests at a time. A worker that has not died OPENER_DEATH_MS after its
 *            deadline is abandoned, and another one takes its place; of OPENER_WORKERS_MAX that do
 *            not end for so long at least OPENER_ABANDONED_MAX are. Then the opener ends: the next
 *            one has none of them.
 */

#include <stdint.h>

#include "shared/wire.h"

#define OPENER_DEADLINE_MS   1000 /* of a worker, generous for a loaded host; it kills itself */
#define OPENER_DEATH_MS      200  /* for that */
#define OPENER_LANES         4
#define OPENER_ABANDONED_MAX 8
#define OPENER_WORKERS_MAX   (OPENER_ABANDONED_MAX + OPENER_LANES - 1)
#define OPENER_PATH_BYTES    (TM_PATH_MAX + 1)

enum opener_kind {
	OPENER_ASK = 1,
	OPENER_PATHS,
	OPENER_PERF_MAP,
};

struct opener_request {      /* collector -> opener, with the worker's socket */
	uint32_t kind;       /* enum opener_kind */
	uint32_t own_tid;    /* sampled thread, in the opener's PID namespace; 0: not visible */
	uint32_t mnt_ns;     /* inode number of its mount namespace */
	uint32_t path_bytes; /* 0: no usable path; of PATHS, with every NUL */
	uint32_t owner;      /* PATHS: user who may own the file, besides root */
	uint64_t vm_start;   /* the mapping, for map_files */
	uint64_t vm_end;
	char path[OPENER_PATH_BYTES]; /* relative to a root, NUL-terminated, no "." or ".."; of
				       * PATHS, one behind the other */
};

struct opener_verdict {    /* collector -> worker */
	uint32_t accepted; /* the file is the sampled one */
};

/* opener_answer.status: one of these or an enum tm_no_file */
#define OPENER_OPENED  0u                       /* opened and mapped; awaits the verdict */
#define OPENER_HANDED  ((uint32_t)TM_NO_FILE_N) /* comes with the descriptor */
#define OPENER_STARTED (OPENER_HANDED + 1)

struct opener_answer {    /* worker -> collector */
	uint32_t status;  /* one of those above, or enum tm_no_file */
	uint32_t worker;  /* pid that holds the mapping */
	uint64_t address; /* of the mapped page */
	uint32_t owner;   /* of the file, unless there is none */
	uint32_t pad;
};
