/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool - the messages between the symbolizer and the process that keeps reports on the host
 *
 * Shape      a SEQPACKET socket with fixed-size messages. A STORE comes with one memfd: the
 *            finished body of a request (ExportProfilesServiceRequest), sealed against writing and
 *            resizing, of exactly body_bytes; one STORED answers it. What was STORED with DONE is
 *            on the disk, and is whole whatever happens to this process afterwards. A FETCH asks
 *            for the oldest report behind `sequence` that is to be sent and has no final answer
 *            yet; one REPORT answers it, with a memfd as above if its status is DONE.
 * Order      answers come in the order of the questions. Reports have rising sequences.
 * Shares     a report is of one of SPOOL_SHARES. Where the limit of bytes is reached, the oldest of
 *            the share that has most of them goes. What a symbolizer takes for whose is its own
 *            affair (output/report_shares.h); 0 is everybody's.
 * Delivered  all reports up to `sequence` have their final answer; they are kept, but not fetched
 *            any more. Not answered.
 * Trust      each side takes the other for hostile. A message of another form, or a descriptor that
 *            is missing, unsealed or of another size, ends this process.
 * Waits      this process waits until the symbolizer reads its answers.
 * Exit       0: after the end of the socket; 1: it could not continue (above, the sandbox, the
 *            folder); 2: invalid options.
 */

#include <stdint.h>

#define SPOOL_BODY_MAX         (16u << 20) /* bytes of a body, as it is stored */
#define SPOOL_UNCOMPRESSED_MAX (64u << 20)
#define SPOOL_SHARES           8u
#define SPOOL_SHARE_SHIFT      8
#define SPOOL_SHARE_MASK       ((SPOOL_SHARES - 1) << SPOOL_SHARE_SHIFT)

enum spool_kind {
	SPOOL_STORE = 1,
	SPOOL_DELIVERED,
	SPOOL_FETCH,
	SPOOL_STORED = 16,
	SPOOL_REPORT,
};

enum spool_flag {
	SPOOL_GZIP = 1 << 0,  /* the body is gzip; else body_bytes == uncompressed_bytes */
	SPOOL_LOCAL = 1 << 1, /* of a STORE: nobody is there to send it to, and it is not fetched */
};

enum spool_status {
	SPOOL_DONE = 0,
	SPOOL_NONE,      /* of a REPORT: nothing is to be sent */
	SPOOL_TOO_LARGE, /* of a STORED: longer than a report may be */
	SPOOL_FULL,      /* of a STORED: the disk is full, also without the oldest segments */
	SPOOL_BROKEN,    /* the disk does not work, or there is no memory */
	SPOOL_STATUS_N,
};

struct spool_message {       /* fields that no comment gives to a kind are 0 in it */
	uint32_t kind;       /* enum spool_kind */
	uint32_t flags;      /* of STORE and REPORT: enum spool_flag, and the share */
	uint32_t status;     /* of STORED and REPORT: enum spool_status */
	uint32_t reserved;   /* 0 */
	uint64_t id;         /* of STORE and FETCH; an answer has that of its question */
	uint64_t sequence;   /* of all but STORE */
	uint64_t body_bytes; /* this and the rest: of STORE and REPORT */
	uint64_t uncompressed_bytes;
	uint64_t samples;     /* in the body */
	uint64_t start_ktime; /* ns of CLOCK_MONOTONIC */
	uint64_t end_ktime;
	int64_t boottime_offset; /* ns from CLOCK_MONOTONIC to CLOCK_BOOTTIME at the end */
	int64_t realtime_offset; /* ... to CLOCK_REALTIME */
	/* Of STORED: what is kept now, */
	uint64_t kept_bytes;
	uint64_t reach_ns; /* since when, in ns before now, */
	uint64_t least_ns; /* and of the share that was shortened most; 0: none was */
};
