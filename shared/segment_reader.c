/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment_reader - walks the records of a segment file, and goes on behind what is damaged
 */

#include "shared/segment_reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/file_read.h"

static int set_fault(struct tm_segment_reader *reader, enum tm_segment_fault fault, uint64_t from,
		     uint64_t to)
{
	reader->fault = fault;
	reader->fault_at = from;
	reader->fault_bytes = to - from;
	return TM_SEGMENT_E_FAULT;
}

/* --- the header ------------------------------------------------------------------------------- */

/* Return: 0, -EBADMSG (*ret_fault), other -errno of reading. */
static int read_header(struct tm_segment_reader *reader, uint64_t at,
		       enum tm_segment_fault *ret_fault)
{
	int r;

	*ret_fault = TM_SEGMENT_FAULT_NO_SEGMENT;
	if (reader->bytes < at + sizeof(reader->header))
		return -EBADMSG;
	r = tm_file_read(reader->fd, &reader->header, sizeof(reader->header), at);
	return r < 0 ? r : tm_segment_header_check(&reader->header, ret_fault);
}

int tm_segment_reader_open(struct tm_segment_reader *reader, int fd)
{
	enum tm_segment_fault fault;
	struct stat status;
	int r;

	*reader = (struct tm_segment_reader){.fd = fd};
	if (fstat(fd, &status) < 0)
		return -errno;
	reader->bytes = (uint64_t)status.st_size;
	if (!S_ISREG(status.st_mode))
		return set_fault(reader, TM_SEGMENT_FAULT_NO_SEGMENT, 0, 0);
	if (reader->bytes > TM_SEGMENT_BYTES_MAX)
		return set_fault(reader, TM_SEGMENT_FAULT_TOO_LARGE, 0, reader->bytes);
	r = read_header(reader, 0, &fault);
	if (r == -EBADMSG && fault == TM_SEGMENT_FAULT_NO_SEGMENT)
		r = read_header(reader, TM_SEGMENT_COPY_AT, &fault);
	if (r == -EBADMSG)
		return set_fault(reader, fault, 0, reader->bytes);
	reader->at = reader->header.header_bytes;
	return r;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Looks in a chunk that was read from @at on. Return: offset of the first header in it that checks;
 * behind the last position that was looked at: none. */
static uint64_t search_chunk(const struct tm_segment_reader *reader, const char *chunk,
			     uint64_t count, uint64_t at)
{
	struct tm_segment_record record;
	uint64_t i;

	for (i = 0; i + sizeof(record) <= count; i += TM_SEGMENT_ALIGN) {
		memcpy(&record, chunk + i, sizeof(record));
		if (tm_segment_record_check(&record, &reader->header, at + i))
			break;
	}
	return at + i;
}

/* Return: 0: *ret_at is that of the next header that checks, or, where there is none, the end of
 * the file; -errno. */
static int search(const struct tm_segment_reader *reader, uint64_t at, uint64_t *ret_at)
{
	_Alignas(TM_SEGMENT_ALIGN) char chunk[TM_SEGMENT_READER_CHUNK];

	while (at + sizeof(struct tm_segment_record) <= reader->bytes) {
		uint64_t count = reader->bytes - at, found;
		int r;

		count = count < sizeof(chunk) ? count : sizeof(chunk);
		r = tm_file_read(reader->fd, chunk, count, at);
		if (r < 0)
			return r;
		found = search_chunk(reader, chunk, count, at);
		if (found + sizeof(struct tm_segment_record) <= at + count) {
			*ret_at = found;
			return 0;
		}
		at = found;
	}
	*ret_at = reader->bytes;
	return 0;
}

/* What lies at `at` is no whole record. */
static int skip_damage(struct tm_segment_reader *reader, enum tm_segment_fault fault)
{
	uint64_t from = reader->at;
	int r = search(reader, from + TM_SEGMENT_ALIGN, &reader->at);

	if (r < 0) {
		reader->at = from;
		return r;
	}
	return set_fault(reader, fault, from, reader->at);
}

static bool is_known(const struct tm_segment_record *record)
{
	return record->kind == TM_SEGMENT_REPORT || record->kind == TM_SEGMENT_DELIVERED;
}

int tm_segment_reader_next(struct tm_segment_reader *reader, struct tm_segment_record *ret_record)
{
	int r;

	do {
		if (reader->at >= reader->bytes)
			return TM_SEGMENT_E_END;
		if (reader->bytes - reader->at < sizeof(*ret_record))
			return skip_damage(reader, TM_SEGMENT_FAULT_TORN);
		r = tm_file_read(reader->fd, ret_record, sizeof(*ret_record), reader->at);
		if (r < 0)
			return r;
		if (!tm_segment_record_check(ret_record, &reader->header, reader->at))
			return skip_damage(reader, TM_SEGMENT_FAULT_HEADER);
		if (reader->bytes - reader->at < tm_segment_record_bytes(ret_record->body_bytes))
			return skip_damage(reader, TM_SEGMENT_FAULT_TORN);
		reader->at += tm_segment_record_bytes(ret_record->body_bytes);
	} while (!is_known(ret_record));
	return 0;
}

int tm_segment_reader_body(struct tm_segment_reader *reader, const struct tm_segment_record *record,
			   void *body)
{
	uint64_t at = record->offset + sizeof(*record);
	int r = tm_file_read(reader->fd, body, record->body_bytes, at);

	if (r < 0)
		return r;
	if (!tm_segment_body_check(record, &reader->header, body))
		return set_fault(reader, TM_SEGMENT_FAULT_BODY, record->offset,
				 record->offset + tm_segment_record_bytes(record->body_bytes));
	return 0;
}
