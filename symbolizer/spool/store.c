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

#define NS_PER_S    1000000000ll
#define NAMES_MAX   16u /* that are tried for a segment */
#define NOTES_SHARE 0u

void store_init(struct store *store, const struct options *options,
		const struct tm_segment_header *header)
{
	uint64_t bytes = options->max_bytes / STORE_SEGMENT_PART;

	memset(store, 0, sizeof(*store)); /* too large for a compound literal */
	store->options = options;
	store->header = *header;
	for (unsigned share = 0; share < SPOOL_SHARES; share++)
		store->open[share].fd = store->cursors[share].reader.fd = -1;
	store->folder.fd = -1;
	store->next_sequence = 1;
	if (bytes < STORE_SEGMENT_MIN)
		bytes = STORE_SEGMENT_MIN;
	store->segment_bytes = bytes < STORE_SEGMENT_BYTES ? bytes : STORE_SEGMENT_BYTES;
	writer_init(&store->writer, options->no_io_uring);
}

/* --- segments --------------------------------------------------------------------------------- */

static bool is_open(const struct store_open *open)
{
	return open->fd >= 0;
}

static bool is_empty(const struct store_open *open)
{
	return open->at == TM_SEGMENT_HEADER_BYTES;
}

static void close_open(struct store *store, unsigned share)
{
	struct store_open *open = &store->open[share];

	if (store->written == share)
		(void)writer_set_file(&store->writer, -1);
	open->fd = tm_close(open->fd);
}

static void close_cursor(struct store_cursor *cursor)
{
	cursor->reader.fd = tm_close(cursor->reader.fd);
	cursor->next.kind = 0;
}

static void remove_segment(struct store *store, struct folder_segment *segment)
{
	const unsigned share = segment->share;
	const uint64_t first = segment->first_sequence;

	if (store->cursors[share].first == first)
		close_cursor(&store->cursors[share]);
	if (is_open(&store->open[share]) && store->open[share].header.first_sequence == first)
		close_open(store, share);
	folder_remove(&store->folder, segment);
}

static void remove_open(struct store *store, unsigned share)
{
	struct folder_segment *segment =
		folder_find(&store->folder, store->open[share].header.first_sequence);

	if (segment)
		remove_segment(store, segment);
	else
		close_open(store, share);
}

/* One without a record is removed. Return: 0, -errno of making it durable. */
static int end_segment(struct store *store, unsigned share)
{
	int r = store->written == share ? writer_sync(&store->writer) : 0;

	if (is_empty(&store->open[share]))
		remove_open(store, share);
	else
		close_open(store, share);
	return r;
}

/* The writer has another segment then. What this one still had to make durable are notes of what is
 * delivered. Return: 0, -errno. */
static int write_to(struct store *store, unsigned share)
{
	if (store->written == share && store->writer.fd >= 0)
		return 0;
	if (writer_sync(&store->writer) < 0)
		(void)end_segment(store, store->written);
	store->written = share;
	return writer_set_file(&store->writer, store->open[share].fd);
}

static bool is_over(const struct store *store, const struct store_open *open)
{
	return folder_now_ns() - open->begun_ns >
	       (int64_t)store->options->segment_seconds * NS_PER_S;
}

void store_expire(struct store *store)
{
	const int64_t before_ns =
		folder_now_ns() - (int64_t)store->options->max_age_seconds * NS_PER_S;

	for (unsigned i = store->folder.count; i > 0; i--)
		if (store->folder.segments[i - 1].ended_ns < before_ns)
			remove_segment(store, &store->folder.segments[i - 1]);
	for (unsigned share = 0; share < SPOOL_SHARES; share++)
		if (is_open(&store->open[share]) && is_over(store, &store->open[share]))
			(void)end_segment(store, share);
}

static void shorten(struct store *store)
{
	struct folder_segment *segment = folder_first_to_go(&store->folder);

	store->shortened[segment->share] = true;
	remove_segment(store, segment);
}

/* So that @bytes more are within the limit. */
static void make_room(struct store *store, uint64_t bytes)
{
	while (store->folder.count > 0 &&
	       (store->folder.bytes + bytes > store->options->max_bytes ||
		store->folder.count == FOLDER_SEGMENTS_MAX))
		shorten(store);
}

static uint64_t unix_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Writes both headers, and makes the file and its name durable. Return: 0, -errno. */
static int write_headers(struct store *store, unsigned share)
{
	const struct tm_segment_header *header = &store->open[share].header;
	static char headers[TM_SEGMENT_HEADER_BYTES];
	int r = write_to(store, share);

	memcpy(headers, header, sizeof(*header));
	memcpy(headers + TM_SEGMENT_COPY_AT, header, sizeof(*header));
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
static int make_segment(struct store *store, unsigned share)
{
	const struct folder *folder = &store->folder;
	int fd = -EEXIST;

	if (folder->count > 0 &&
	    store->next_sequence <= folder->segments[folder->count - 1].first_sequence)
		store->next_sequence = folder->segments[folder->count - 1].first_sequence + 1;
	for (unsigned i = 0; i < NAMES_MAX && fd == -EEXIST; i++) {
		if (store->next_sequence + i > TM_SEGMENT_SEQUENCE_MAX)
			return -EOVERFLOW;
		fd = folder_make(&store->folder, store->next_sequence + i, share);
		if (fd >= 0)
			store->next_sequence += i;
	}
	return fd;
}

/* Return: 0, -errno. */
static int begin_segment(struct store *store, unsigned share)
{
	struct store_open *open = &store->open[share];
	struct folder_segment *segment;
	int r;

	open->header = store->header;
	if (getrandom(open->header.salt, sizeof(open->header.salt), 0) !=
	    (ssize_t)sizeof(open->header.salt))
		return -EIO;
	open->fd = make_segment(store, share);
	if (open->fd < 0)
		return open->fd;
	open->header.first_sequence = store->next_sequence;
	open->header.created_unix_ns = unix_ns();
	tm_segment_header_seal(&open->header);
	r = write_headers(store, share);
	segment = folder_find(&store->folder, open->header.first_sequence);
	if (r < 0 || !segment) {
		remove_open(store, share);
		return r;
	}
	folder_grow(&store->folder, segment, TM_SEGMENT_HEADER_BYTES);
	open->at = TM_SEGMENT_HEADER_BYTES;
	open->begun_ns = folder_now_ns();
	return 0;
}

static bool is_full(const struct store *store, const struct store_open *open, uint64_t bytes)
{
	if (is_empty(open))
		return false;
	return open->at + bytes > store->segment_bytes || is_over(store, open);
}

/* Makes room for a record of @bytes, and has a segment for it. Return: 0, -errno. */
static int prepare_segment(struct store *store, unsigned share, uint64_t bytes)
{
	make_room(store, bytes + TM_SEGMENT_HEADER_BYTES);
	if (is_open(&store->open[share]) && is_full(store, &store->open[share], bytes))
		(void)end_segment(store, share);
	return is_open(&store->open[share]) ? write_to(store, share) : begin_segment(store, share);
}

/* --- records ---------------------------------------------------------------------------------- */

/* In the open segment. Return: 0, -errno: nothing of it is left in the file, or the segment has
 * ended. */
static int write_record(struct store *store, unsigned share, struct tm_segment_record *record,
			const void *body, bool sync)
{
	const uint64_t bytes = tm_segment_record_bytes(record->body_bytes);
	_cleanup_(tm_freep) char *all = calloc(1, bytes);
	struct store_open *open = &store->open[share];
	struct folder_segment *segment = folder_find(&store->folder, open->header.first_sequence);
	int r;

	if (!all || !segment)
		return -ENOMEM;
	record->offset = open->at;
	tm_segment_record_seal(record, &open->header, body);
	memcpy(all, record, sizeof(*record));
	if (record->body_bytes)
		memcpy(all + sizeof(*record), body, record->body_bytes);
	r = writer_write(&store->writer, all, bytes, open->at);
	if (r == 0 && sync)
		r = writer_sync(&store->writer);
	if (r == 0) {
		if (is_empty(open))
			segment->begun_ns -= store_span_ns(record->start_ktime, record->end_ktime);
		open->at += bytes;
		folder_grow(&store->folder, segment, bytes);
		return 0;
	}
	/* Whether a file whose sync failed can be trusted, the kernel does not say. */
	if (ftruncate(open->fd, (off_t)open->at) < 0 || (r != -ENOSPC && r != -EDQUOT))
		(void)end_segment(store, share);
	return r;
}

/* Return: 0, -errno. */
static int append(struct store *store, struct tm_segment_record *record, const void *body)
{
	const unsigned share = tm_segment_record_share(record);
	int r = prepare_segment(store, share, tm_segment_record_bytes(record->body_bytes));

	record->sequence = record->last_sequence = store->next_sequence;
	return r < 0 ? r : write_record(store, share, record, body, true);
}

/* The last segment with reports stays: one is not worth the history. Return: whether any went. */
static bool free_disk(struct store *store, uint64_t bytes)
{
	const uint64_t before = store->folder.bytes;
	unsigned kept = 1;

	for (unsigned share = 0; share < SPOOL_SHARES; share++)
		kept += is_open(&store->open[share]) && is_empty(&store->open[share]);
	while (store->folder.count > kept && before - store->folder.bytes < bytes)
		shorten(store);
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
 * report of share 0, or before one of another: if it is lost before, reports are sent twice and
 * none is left out. Only the last note counts. */
void store_deliver(struct store *store, uint64_t sequence)
{
	struct tm_segment_record record = {
		.kind = TM_SEGMENT_DELIVERED,
		.sequence = store->delivered_noted + 1,
		.last_sequence = sequence,
	};
	int r;

	if (sequence <= store->delivered)
		return;
	store->delivered = sequence;
	if (store->folder.count == 0)
		return; /* there is nothing to be sent twice */
	r = prepare_segment(store, NOTES_SHARE, sizeof(record));
	if (r == 0)
		r = write_record(store, NOTES_SHARE, &record, NULL, false);
	if (r < 0)
		return;
	store->delivered_noted = sequence;
}

void store_extent(const struct store *store, uint64_t *ret_bytes, uint64_t *ret_reach_ns,
		  uint64_t *ret_least_ns)
{
	const int64_t now_ns = folder_now_ns();
	int64_t begun_ns[SPOOL_SHARES], first_ns = now_ns, least_ns = INT64_MIN;

	for (unsigned share = 0; share < SPOOL_SHARES; share++)
		begun_ns[share] = now_ns;
	for (unsigned i = 0; i < store->folder.count; i++) {
		const struct folder_segment *segment = &store->folder.segments[i];

		if (segment->begun_ns < begun_ns[segment->share])
			begun_ns[segment->share] = segment->begun_ns;
		if (segment->begun_ns < first_ns)
			first_ns = segment->begun_ns;
	}
	for (unsigned share = 0; share < SPOOL_SHARES; share++)
		if (store->shortened[share] && begun_ns[share] > least_ns)
			least_ns = begun_ns[share];
	*ret_bytes = store->folder.bytes;
	*ret_reach_ns = (uint64_t)(now_ns - first_ns);
	*ret_least_ns = least_ns == INT64_MIN ? 0 : (uint64_t)(now_ns - least_ns) + 1;
}

void store_deinit(struct store *store)
{
	for (unsigned share = 0; share < SPOOL_SHARES; share++) {
		close_cursor(&store->cursors[share]);
		if (is_open(&store->open[share]))
			(void)end_segment(store, share);
	}
	writer_deinit(&store->writer);
}
