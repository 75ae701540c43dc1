/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * store - appends reports to segments, and finds those that are not delivered yet
 *
 * Durable    a report counts as stored once its bytes, and the file's name, are synced. What fails
 *            half-way is cut off again; where that fails, too, the next report begins a segment.
 * Segments   of one share each, of a small part of the bytes, within bounds, and of a limited age.
 *            A start never appends to what is there: it cuts off torn ends, and begins a segment
 *            with the first report of a share.
 * Limits     of age, by removing the oldest segments; of bytes, by removing the oldest of the share
 *            that has most of them. A report that does not fit onto the disk has one more try
 *            without as many of those as it needs.
 * Damage     is named on stderr, with file and place; whatever is whole is used.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/segment_reader.h"
#include "symbolizer/spool/folder.h"
#include "symbolizer/spool/options.h"
#include "symbolizer/spool/writer.h"

#define STORE_SEGMENT_PART  32u
#define STORE_SEGMENT_MIN   (256u << 10)
#define STORE_SEGMENT_BYTES (16u << 20) /* most; longer only for one long report */
#define STORE_NOTICES_MAX   20u         /* lines about damage */

enum {
	STORE_E_NONE = 1, /* nothing is to be sent */
};

struct store_open { /* the segment to which the reports of a share are appended */
	struct tm_segment_header header;
	int fd;           /* -1: the next report makes one */
	uint64_t at;      /* its end */
	int64_t begun_ns; /* CLOCK_BOOTTIME */
};

struct store_cursor {                    /* in the reports of a share, for what is fetched */
	struct tm_segment_reader reader; /* fd -1: none. Its descriptor is owned */
	uint64_t first;                /* the sequence in the name of what it read last; 0: none */
	uint64_t passed;               /* what lies behind this one is `next`, or before it */
	struct tm_segment_record next; /* to be sent; kind 0: none was found */
};

struct store {
	const struct options *options;
	uint64_t segment_bytes;
	struct folder folder;
	struct writer writer;
	struct tm_segment_header header; /* the ids of each segment */
	struct store_open open[SPOOL_SHARES];
	bool shortened[SPOOL_SHARES]; /* for want of bytes */
	unsigned written;             /* the share whose segment the writer has */
	struct store_cursor cursors[SPOOL_SHARES];
	uint64_t next_sequence;
	uint64_t delivered;       /* up to this one; known, */
	uint64_t delivered_noted; /* and written down */
	unsigned notices;
};

/* What reports say is not to be believed: at most OPTIONS_AGE_MAX. */
static inline int64_t store_span_ns(uint64_t start_ktime, uint64_t end_ktime)
{
	const uint64_t most = OPTIONS_AGE_MAX * 1000000000ull;
	const uint64_t ns = end_ktime > start_ktime ? end_ktime - start_ktime : 0;

	return (int64_t)(ns < most ? ns : most);
}

/* @header: the ids are taken. Before the sandbox. */
void store_init(struct store *store, const struct options *options,
		const struct tm_segment_header *header);
/* Finds what is there, and cuts off a torn end. Return: 0, -errno. */
int store_recover(struct store *store, DIR *entries);
/* @record: flags with the share, body_bytes and what is below it. Return: the status of STORED; its
 * sequence is in @record then. */
enum spool_status store_append(struct store *store, struct tm_segment_record *record,
			       const void *body);
/* All up to @sequence, which was stored, have their final answer. */
void store_deliver(struct store *store, uint64_t sequence);
/* The oldest behind @after that is to be sent. *ret_fd: its body, sealed, the caller's.
 * Return: 0, STORE_E_NONE, -errno. */
int store_fetch(struct store *store, uint64_t after, struct tm_segment_record *ret_record,
		int *ret_fd);
/* *ret_reach_ns: since when reports are kept, in ns before now. *ret_least_ns: likewise, of the
 * share that reaches least far back of those that were shortened since the start; 0: none was. */
void store_extent(const struct store *store, uint64_t *ret_bytes, uint64_t *ret_reach_ns,
		  uint64_t *ret_least_ns);
/* Removes what is too old, and ends segments whose time is over. */
void store_expire(struct store *store);
/* Syncs, and closes all. */
void store_deinit(struct store *store);
