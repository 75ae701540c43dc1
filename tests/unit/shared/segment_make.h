/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segment_make - segment files in memory, record by record, for tests of what reads them
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/segment.h"

struct segment_make {
	int fd;
	struct tm_segment_header header;
	uint64_t at; /* of the next record */
};

static inline void segment_make_write(const struct segment_make *make, const void *bytes,
				      size_t count, uint64_t at)
{
	if (pwrite(make->fd, bytes, count, (off_t)at) != (ssize_t)count)
		abort();
}

static inline void segment_make_header(const struct segment_make *make)
{
	segment_make_write(make, &make->header, sizeof(make->header), 0);
	segment_make_write(make, &make->header, sizeof(make->header), TM_SEGMENT_COPY_AT);
}

static inline struct segment_make segment_make_begin(uint64_t first_sequence)
{
	struct segment_make make = {
		.fd = memfd_create("segment", MFD_CLOEXEC),
		.header = {.first_sequence = first_sequence,
			   .machine_id = {1},
			   .boot_id = {2},
			   .salt = {3, 1, 4, 1, 5}},
		.at = TM_SEGMENT_HEADER_BYTES,
	};

	tm_segment_header_seal(&make.header);
	segment_make_header(&make);
	return make;
}

/* @fields: all but magic, offset, body_bytes and digests. Return: its offset. */
static inline uint64_t segment_make_append(struct segment_make *make,
					   const struct tm_segment_record *fields, const void *body,
					   size_t body_bytes)
{
	static const char zeros[TM_SEGMENT_ALIGN];
	struct tm_segment_record record = *fields;
	uint64_t at = make->at;

	record.offset = at;
	record.body_bytes = body_bytes;
	tm_segment_record_seal(&record, &make->header, body);
	make->at += tm_segment_record_bytes(body_bytes);
	segment_make_write(make, zeros, sizeof(zeros), make->at - sizeof(zeros));
	segment_make_write(make, &record, sizeof(record), at);
	if (body_bytes)
		segment_make_write(make, body, body_bytes, at + sizeof(record));
	return at;
}

/* A report of one second, without compression. */
static inline uint64_t segment_make_report(struct segment_make *make, uint64_t sequence,
					   const void *body, size_t body_bytes)
{
	const struct tm_segment_record fields = {
		.kind = TM_SEGMENT_REPORT,
		.sequence = sequence,
		.last_sequence = sequence,
		.uncompressed_bytes = body_bytes,
		.samples = 100 + sequence,
		.start_ktime = sequence * 1000000000,
		.end_ktime = (sequence + 1) * 1000000000,
		.boottime_offset = 7,
		.realtime_offset = 1700000000000000000,
	};

	return segment_make_append(make, &fields, body, body_bytes);
}

static inline uint64_t segment_make_delivered(struct segment_make *make, uint64_t first,
					      uint64_t last)
{
	const struct tm_segment_record fields = {
		.kind = TM_SEGMENT_DELIVERED, .sequence = first, .last_sequence = last};

	return segment_make_append(make, &fields, NULL, 0);
}
