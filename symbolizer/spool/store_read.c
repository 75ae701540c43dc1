/* SPDX-License-Identifier: Apache-2.0 */
/* store_read - reads segments: at the start, to find what is there, and to send what is not sent */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/region.h"
#include "symbolizer/spool/store.h"

/* A fault of @reader, which reads the segment @first. */
static void name_damage(struct store *store, const struct tm_segment_reader *reader, uint64_t first)
{
	char name[TM_SEGMENT_NAME_BYTES];

	if (store->notices == STORE_NOTICES_MAX)
		return;
	store->notices++;
	tm_segment_name(first, name);
	(void)fprintf(stderr, "%s: %" PRIu64 " bytes at offset %" PRIu64 " are lost: %s\n", name,
		      reader->fault_bytes, reader->fault_at, tm_segment_fault_text(reader->fault));
	if (store->notices == STORE_NOTICES_MAX)
		(void)fprintf(stderr, "more damage is not listed\n");
}

static void name_error(uint64_t first, int r)
{
	char name[TM_SEGMENT_NAME_BYTES];

	tm_segment_name(first, name);
	(void)fprintf(stderr, "%s cannot be read: %s\n", name, strerror(-r));
}

/* --- at the start ----------------------------------------------------------------------------- */

struct walk { /* through one segment, the later ones first */
	struct tm_segment_reader reader;
	struct folder_segment *segment;
	bool *ended; /* of each share: its last segment, the only one that may end torn, was read */
	struct tm_segment_record last; /* the last report; kind 0: there is none */
	uint64_t start_ktime;          /* of the first one */
	uint64_t end;                  /* of the last whole record */
	bool torn; /* nothing whole lies behind `end`, but something lies there */
};

static void note_record(struct store *store, struct walk *walk,
			const struct tm_segment_record *record)
{
	walk->end = walk->reader.at;
	walk->torn = false;
	if (record->kind == TM_SEGMENT_DELIVERED) {
		if (record->last_sequence > store->delivered)
			store->delivered = record->last_sequence;
	} else {
		if (walk->last.kind == 0)
			walk->start_ktime = record->start_ktime;
		walk->last = *record;
		walk->segment->share = tm_segment_record_share(record);
	}
	if (record->last_sequence >= store->next_sequence)
		store->next_sequence = record->last_sequence + 1;
}

/* Damage at its end is no surprise. One without a report tells no share. */
static bool is_last_of_share(const struct walk *walk)
{
	return walk->last.kind == 0 || !walk->ended[walk->segment->share];
}

/* Return: 0, -errno of reading; TM_SEGMENT_E_FAULT: it is no segment. */
static int walk_segment(struct store *store, struct walk *walk, uint64_t first)
{
	struct tm_segment_record record;
	int r = tm_segment_reader_open(&walk->reader, walk->reader.fd);

	if (r == TM_SEGMENT_E_FAULT)
		name_damage(store, &walk->reader, first);
	if (r != 0)
		return r;
	walk->end = walk->reader.at;
	while (r == 0 || r == TM_SEGMENT_E_FAULT) {
		r = tm_segment_reader_next(&walk->reader, &record);
		if (r == 0)
			note_record(store, walk, &record);
		if (r != TM_SEGMENT_E_FAULT)
			continue;
		walk->torn = walk->reader.at >= walk->reader.bytes;
		if (!is_last_of_share(walk) || !walk->torn)
			name_damage(store, &walk->reader, first);
	}
	return r == TM_SEGMENT_E_END ? 0 : r;
}

/* Whether the last report of the last segment of a share is whole: a loss of power may have left
 * its header alone. No report before it can be so: each was durable before the next one. */
static bool last_is_whole(struct walk *walk)
{
	_cleanup_(tm_freep) void *body = NULL;

	if (walk->last.kind == 0)
		return true;
	body = malloc(walk->last.body_bytes);
	return !body ||
	       tm_segment_reader_body(&walk->reader, &walk->last, body) != TM_SEGMENT_E_FAULT;
}

static void cut_off(struct store *store, const struct walk *walk)
{
	struct folder_segment *segment = walk->segment;
	_cleanup_(tm_closep) int fd = folder_open(&store->folder, segment->first_sequence, true);

	if (fd < 0 || ftruncate(fd, (off_t)walk->end) < 0)
		return; /* it is skipped each time that it is read */
	store->folder.bytes -= segment->bytes - walk->end;
	segment->bytes = walk->end;
}

static void recover_segment(struct store *store, struct folder_segment *segment, bool ended[])
{
	const uint64_t first = segment->first_sequence;
	_cleanup_(tm_closep) int fd = folder_open(&store->folder, first, false);
	struct walk walk = {.reader = {.fd = fd}, .segment = segment, .ended = ended};
	int r = fd < 0 ? fd : walk_segment(store, &walk, first);

	if (r < 0)
		name_error(first, r);
	if (r == 0)
		segment->begun_ns -= store_span_ns(walk.start_ktime, walk.last.end_ktime);
	if (r != 0 || !is_last_of_share(&walk))
		return;
	ended[segment->share] |= walk.last.kind != 0;
	if (walk.last.kind != 0 &&
	    walk.end == walk.last.offset + tm_segment_record_bytes(walk.last.body_bytes) &&
	    !last_is_whole(&walk)) {
		walk.end = walk.last.offset;
		walk.torn = true;
	}
	if (walk.torn)
		cut_off(store, &walk);
}

int store_recover(struct store *store, DIR *entries)
{
	bool ended[SPOOL_SHARES] = {false};
	int r = folder_list(&store->folder, store->options->directory, entries);

	if (r < 0)
		return r;
	store_expire(store);
	for (unsigned i = store->folder.count; i > 0; i--)
		recover_segment(store, &store->folder.segments[i - 1], ended);
	store->delivered_noted = store->delivered;
	return 0;
}

/* --- what is to be sent ----------------------------------------------------------------------- */

/* The next segment of the share. Return: 0, STORE_E_NONE. The one that is skipped is no more to be
 * read. */
static int open_next(struct store *store, unsigned share)
{
	struct store_cursor *cursor = &store->cursors[share];

	cursor->reader.fd = tm_close(cursor->reader.fd);
	for (unsigned i = 0; i < store->folder.count; i++) {
		const struct folder_segment *segment = &store->folder.segments[i];
		struct tm_segment_reader reader;
		int fd, r;

		if (segment->share != share || segment->first_sequence <= cursor->first)
			continue;
		fd = folder_open(&store->folder, segment->first_sequence, false);
		r = fd < 0 ? fd : tm_segment_reader_open(&reader, fd);
		if (r == 0) {
			cursor->reader = reader;
			cursor->first = segment->first_sequence;
			return 0;
		}
		if (fd >= 0)
			(void)tm_close(fd);
	}
	return STORE_E_NONE;
}

/* A segment that is read may have become longer. Return: as tm_segment_reader_next. */
static int next_record(struct store *store, struct store_cursor *cursor)
{
	const struct folder_segment *segment = folder_find(&store->folder, cursor->first);

	if (segment)
		cursor->reader.bytes = segment->bytes;
	return tm_segment_reader_next(&cursor->reader, &cursor->next);
}

/* Whether nothing is appended any more to what the cursor reads. */
static bool has_ended(const struct store *store, unsigned share)
{
	const struct store_open *open = &store->open[share];

	return open->fd < 0 || open->header.first_sequence != store->cursors[share].first;
}

static bool is_last(const struct store *store, unsigned share)
{
	const struct folder *folder = &store->folder;

	for (unsigned i = folder->count; i > 0; i--)
		if (folder->segments[i - 1].share == share)
			return folder->segments[i - 1].first_sequence <=
			       store->cursors[share].first;
	return true;
}

static bool is_to_be_sent(const struct tm_segment_record *record, uint64_t after)
{
	return record->kind == TM_SEGMENT_REPORT && record->sequence > after &&
	       !(record->flags & TM_SEGMENT_LOCAL);
}

/* Finds the header of the next one of a share, as `next`. What cannot be read is left out.
 * Return: 0, STORE_E_NONE. */
static int find(struct store *store, unsigned share, uint64_t after)
{
	struct store_cursor *cursor = &store->cursors[share];
	int r = cursor->reader.fd < 0 ? open_next(store, share) : 0;

	while (r == 0) {
		r = next_record(store, cursor);
		if (r == 0 && is_to_be_sent(&cursor->next, after))
			return 0;
		if (r < 0)
			name_error(cursor->first, r);
		if (r == 0 || r == TM_SEGMENT_E_FAULT) { /* named at the start */
			r = 0;
			continue;
		}
		if (is_last(store, share)) {
			if (has_ended(store, share))
				cursor->reader.fd = tm_close(cursor->reader.fd);
			break; /* the next call goes on here, or with the next segment */
		}
		r = open_next(store, share);
	}
	cursor->next.kind = 0;
	return STORE_E_NONE;
}

/* A cursor that is beyond what is asked for begins anew. Return: as find. */
static int advance(struct store *store, unsigned share, uint64_t after)
{
	struct store_cursor *cursor = &store->cursors[share];

	if (after < cursor->passed) {
		cursor->reader.fd = tm_close(cursor->reader.fd);
		cursor->next.kind = 0;
		cursor->first = 0;
	}
	cursor->passed = after;
	if (cursor->next.kind != 0 && cursor->next.sequence > after)
		return 0; /* each report is asked for again after a pause */
	return find(store, share, after);
}

/* Return: the cursor of the oldest one behind @after, NULL. */
static struct store_cursor *find_oldest(struct store *store, uint64_t after)
{
	struct store_cursor *oldest = NULL;

	for (unsigned share = 0; share < SPOOL_SHARES; share++) {
		struct store_cursor *cursor = &store->cursors[share];

		if (advance(store, share, after) == 0 &&
		    (!oldest || cursor->next.sequence < oldest->next.sequence))
			oldest = cursor;
	}
	return oldest;
}

enum {
	READ_E_LOST = 1,
};

/* Return: 0, READ_E_LOST (and why was printed), -errno: there is no memory. */
static int read_body(struct store *store, struct store_cursor *cursor, int *ret_fd)
{
	const struct tm_segment_record *record = &cursor->next;
	struct tm_region body = TM_REGION_NULL;
	int r = tm_region_begin_blob(&body, "otlp", record->body_bytes), read = 0;

	if (r == 0)
		read = tm_segment_reader_body(&cursor->reader, record, body.addr);
	if (r == 0 && read == 0)
		r = tm_region_end_blob(&body);
	if (r == 0 && read == 0)
		*ret_fd = TM_TAKE_FD(body.fd);
	tm_region_close(&body);
	if (read < 0)
		name_error(cursor->first, read);
	if (read > 0)
		name_damage(store, &cursor->reader, cursor->first);
	return read != 0 ? READ_E_LOST : r;
}

int store_fetch(struct store *store, uint64_t after, struct tm_segment_record *ret_record,
		int *ret_fd)
{
	struct store_cursor *oldest;
	int r = READ_E_LOST;

	after = after > store->delivered ? after : store->delivered;
	while (r == READ_E_LOST) {
		oldest = find_oldest(store, after);
		if (!oldest)
			return STORE_E_NONE;
		*ret_record = oldest->next;
		after = oldest->next.sequence;
		r = read_body(store, oldest, ret_fd);
	}
	return r;
}
