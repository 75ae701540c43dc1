/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store - appends reports to segments, and finds those that are not delivered yet
 */

#include "symbolizer/spool/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define NS_PER_S  1000000000ll
#define NAMES_MAX 16u /* that are tried for a segment */

void store_init(struct store *store, const struct options *options,
		const struct tm_segment_header *header)
{
	uint64_t bytes = options->max_bytes / STORE_SEGMENT_PART;

	memset(store, 0, sizeof(*store)); /* too large for a compound literal */
	store->options = options;
	store->header = *header;
	store->current = -1;
	store->reader.fd = -1;
	store->folder.fd = -1;
	store->next_sequence = 1;
	if (bytes < STORE_SEGMENT_MIN)
		bytes = STORE_SEGMENT_MIN;
	store->segment_bytes = bytes < STORE_SEGMENT_BYTES ? bytes : STORE_SEGMENT_BYTES;
	writer_init(&store->writer, options->no_io_uring);
}

/* --- segments --------------------------------------------------------------------------------- */

static bool is_empty(const struct store *store)
{
	return store->at == TM_SEGMENT_HEADER_BYTES;
}

/* One without a record is removed. Return: 0, -errno of making it durable. */
static int end_segment(struct store *store)
{
	int r = writer_sync(&store->writer);

	(void)writer_set_file(&store->writer, -1);
	store->current = tm_close(store->current);
	if (is_empty(store))
		folder_remove_last(&store->folder);
	return r;
}

static void close_reader(struct store *store)
{
	store->reader.fd = tm_close(store->reader.fd);
}

static void remove_first(struct store *store)
{
	uint64_t first = store->folder.segments[0].first_sequence;

	if (store->folder.count == 1 && store->current >= 0)
		(void)end_segment(store);
	if (store->folder.count == 0)
		return;
	if (store->reader.fd >= 0 && store->reader_first == first)
		close_reader(store);
	(void)folder_remove_first(&store->folder);
}

void store_expire(struct store *store)
{
	const int64_t before_ns =
		folder_now_ns() - (int64_t)store->options->max_age_seconds * NS_PER_S;

	while (store->folder.count > 0 && store->folder.segments[0].ended_ns < before_ns)
		remove_first(store);
}

/* So that @bytes more are within the limit. */
static void make_room(struct store *store, uint64_t bytes)
{
	while (store->folder.count > 0 &&
	       (store->folder.bytes + bytes > store->options->max_bytes ||
		store->folder.count == FOLDER_SEGMENTS_MAX))
		remove_first(store);
}

static uint64_t unix_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Writes both headers, and makes the file and its name durable. Return: 0, -errno. */
static int write_headers(struct store *store)
{
	static char headers[TM_SEGMENT_HEADER_BYTES];
	int r = writer_set_file(&store->writer, store->current);

	memcpy(headers, &store->header, sizeof(store->header));
	memcpy(headers + TM_SEGMENT_COPY_AT, &store->header, sizeof(store->header));
	if (r == 0)
		r = writer_write(&store->writer, headers, sizeof(headers), 0);
	if (r == 0)
		r = writer_sync(&store->writer);
	if (r == 0)
		r = fsync(store->folder.fd) < 0 ? -errno : 0;
	return r;
}

/* One that ended without a report, or what is none of ours, may have the name: sequences have gaps
 * then. Return: descriptor, -errno. */
static int make_segment(struct store *store)
{
	const struct folder *folder = &store->folder;
	int fd = -EEXIST;

	if (folder->count > 0 &&
	    store->next_sequence <= folder->segments[folder->count - 1].first_sequence)
		store->next_sequence = folder->segments[folder->count - 1].first_sequence + 1;
	for (unsigned i = 0; i < NAMES_MAX && fd == -EEXIST; i++) {
		if (store->next_sequence + i > TM_SEGMENT_SEQUENCE_MAX)
			return -EOVERFLOW;
		fd = folder_make(&store->folder, store->next_sequence + i);
		if (fd >= 0)
			store->next_sequence += i;
	}
	return fd;
}

/* Return: 0, -errno. */
static int begin_segment(struct store *store)
{
	int r;

	if (getrandom(store->header.salt, sizeof(store->header.salt), 0) !=
	    (ssize_t)sizeof(store->header.salt))
		return -EIO;
	store->current = make_segment(store);
	if (store->current < 0)
		return store->current;
	store->header.first_sequence = store->next_sequence;
	store->header.created_unix_ns = unix_ns();
	tm_segment_header_seal(&store->header);
	r = write_headers(store);
	if (r < 0) {
		(void)writer_set_file(&store->writer, -1);
		store->current = tm_close(store->current);
		folder_remove_last(&store->folder);
		return r;
	}
	folder_grow(&store->folder, TM_SEGMENT_HEADER_BYTES);
	store->at = TM_SEGMENT_HEADER_BYTES;
	store->begun_ns = folder_now_ns();
	return 0;
}

static bool is_full(const struct store *store, uint64_t bytes)
{
	if (is_empty(store))
		return false;
	return store->at + bytes > store->segment_bytes ||
	       folder_now_ns() - store->begun_ns >
		       (int64_t)store->options->segment_seconds * NS_PER_S;
}

/* --- records ---------------------------------------------------------------------------------- */

/* In the open segment. Return: 0, -errno: nothing of it is left in the file, or the segment has
 * ended. */
static int write_record(struct store *store, struct tm_segment_record *record, const void *body,
			bool sync)
{
	const uint64_t bytes = tm_segment_record_bytes(record->body_bytes);
	_cleanup_(tm_freep) char *all = calloc(1, bytes);
	int r;

	if (!all)
		return -ENOMEM;
	record->offset = store->at;
	tm_segment_record_seal(record, &store->header, body);
	memcpy(all, record, sizeof(*record));
	if (record->body_bytes)
		memcpy(all + sizeof(*record), body, record->body_bytes);
	r = writer_write(&store->writer, all, bytes, store->at);
	if (r == 0 && sync)
		r = writer_sync(&store->writer);
	if (r == 0) {
		store->at += bytes;
		folder_grow(&store->folder, bytes);
		return 0;
	}
	/* Whether a file whose sync failed can be trusted, the kernel does not say. */
	if (ftruncate(store->current, (off_t)store->at) < 0 || (r != -ENOSPC && r != -EDQUOT))
		(void)end_segment(store);
	return r;
}

/* Return: 0, -errno. */
static int append(struct store *store, struct tm_segment_record *record, const void *body)
{
	const uint64_t bytes = tm_segment_record_bytes(record->body_bytes);
	int r = 0;

	make_room(store, bytes + TM_SEGMENT_HEADER_BYTES);
	if (store->current >= 0 && is_full(store, bytes))
		(void)end_segment(store);
	if (store->current < 0)
		r = begin_segment(store);
	record->sequence = record->last_sequence = store->next_sequence;
	return r < 0 ? r : write_record(store, record, body, true);
}

/* The last segment with reports stays: one is not worth the history. Return: whether any went. */
static bool free_disk(struct store *store, uint64_t bytes)
{
	const uint64_t before = store->folder.bytes;
	const unsigned kept = store->current >= 0 && is_empty(store) ? 2 : 1;

	while (store->folder.count > kept && before - store->folder.bytes < bytes)
		remove_first(store);
	return store->folder.bytes < before;
}

static bool disk_is_full(int r)
{
	return r == -ENOSPC || r == -EDQUOT;
}

enum spool_status store_append(struct store *store, struct tm_segment_record *record,
			       const void *body)
{
	int r;

	if (record->body_bytes > store->options->report_bytes)
		return SPOOL_TOO_LARGE;
	record->kind = TM_SEGMENT_REPORT;
	store_expire(store);
	r = append(store, record, body);
	if (disk_is_full(r) && free_disk(store, tm_segment_record_bytes(record->body_bytes)))
		r = append(store, record, body);
	if (r < 0)
		return disk_is_full(r) ? SPOOL_FULL : SPOOL_BROKEN;
	store->next_sequence++;
	return SPOOL_DONE;
}

/* A note that cannot be written now is part of the next one. It is made durable with the next
 * report: if it is lost before, reports are sent twice and none is left out. */
void store_deliver(struct store *store, uint64_t sequence)
{
	struct tm_segment_record record = {
		.kind = TM_SEGMENT_DELIVERED,
		.sequence = store->delivered_noted + 1,
		.last_sequence = sequence,
	};
	int r = 0;

	if (sequence <= store->delivered)
		return;
	store->delivered = sequence;
	make_room(store, TM_SEGMENT_HEADER_BYTES + sizeof(record));
	if (store->folder.count == 0)
		return; /* there is nothing to be sent twice */
	if (store->current < 0)
		r = begin_segment(store);
	if (r == 0)
		r = write_record(store, &record, NULL, false);
	if (r < 0)
		return;
	store->delivered_noted = sequence;
}

void store_deinit(struct store *store)
{
	close_reader(store);
	if (store->current >= 0)
		(void)end_segment(store);
	writer_deinit(&store->writer);
}
