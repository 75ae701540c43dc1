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

struct walk { /* through one segment */
	struct tm_segment_reader reader;
	struct tm_segment_record last; /* the last report; kind 0: there is none */
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
		walk->last = *record;
	}
	if (record->last_sequence >= store->next_sequence)
		store->next_sequence = record->last_sequence + 1;
}

/* @newest: damage at its end is no surprise, and not named. Return: 0, -errno of reading;
 * TM_SEGMENT_E_FAULT: it is no segment. */
static int walk_segment(struct store *store, struct walk *walk, uint64_t first, bool newest)
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
		if (!newest || !walk->torn)
			name_damage(store, &walk->reader, first);
	}
	return r == TM_SEGMENT_E_END ? 0 : r;
}

/* Whether the last report of the newest segment is whole: a loss of power may have left its header
 * alone. No report before it can be so: each was durable before the next one. */
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
	struct folder_segment *newest = &store->folder.segments[store->folder.count - 1];
	_cleanup_(tm_closep) int fd = folder_open(&store->folder, newest->first_sequence, true);

	if (fd < 0 || ftruncate(fd, (off_t)walk->end) < 0)
		return; /* it is skipped each time that it is read */
	store->folder.bytes -= newest->bytes - walk->end;
	newest->bytes = walk->end;
}

static void recover_segment(struct store *store, uint64_t first, bool newest)
{
	_cleanup_(tm_closep) int fd = folder_open(&store->folder, first, false);
	struct walk walk = {.reader = {.fd = fd}};
	int r = fd < 0 ? fd : walk_segment(store, &walk, first, newest);

	if (r < 0)
		name_error(first, r);
	if (r != 0 || !newest)
		return;
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
	int r = folder_list(&store->folder, store->options->directory, entries);

	if (r < 0)
		return r;
	store_expire(store);
	for (unsigned i = 0; i < store->folder.count; i++)
		recover_segment(store, store->folder.segments[i].first_sequence,
				i + 1 == store->folder.count);
	store->delivered_noted = store->delivered;
	return 0;
}

/* --- what is to be sent ----------------------------------------------------------------------- */

/* Return: 0, STORE_E_NONE: no segment lies behind @after. The one that is skipped is no more to be
 * read. */
static int open_next(struct store *store, bool from_start)
{
	const uint64_t read = store->reader_first;

	store->reader.fd = tm_close(store->reader.fd);
	for (unsigned i = 0; i < store->folder.count; i++) {
		uint64_t first = store->folder.segments[i].first_sequence;
		struct tm_segment_reader reader;
		int fd, r;

		if (!from_start && first <= read)
			continue;
		fd = folder_open(&store->folder, first, false);
		r = fd < 0 ? fd : tm_segment_reader_open(&reader, fd);
		if (r == 0) {
			store->reader = reader;
			store->reader_first = first;
			return 0;
		}
		if (fd >= 0)
			(void)tm_close(fd);
	}
	return STORE_E_NONE;
}

/* A segment that is read may have become longer. Return: as tm_segment_reader_next. */
static int next_record(struct store *store, struct tm_segment_record *ret_record)
{
	const struct folder *folder = &store->folder;

	for (unsigned i = folder->count; i > 0; i--)
		if (folder->segments[i - 1].first_sequence == store->reader_first) {
			store->reader.bytes = folder->segments[i - 1].bytes;
			break;
		}
	return tm_segment_reader_next(&store->reader, ret_record);
}

static bool is_last(const struct store *store)
{
	const struct folder *folder = &store->folder;

	return folder->count == 0 ||
	       folder->segments[folder->count - 1].first_sequence <= store->reader_first;
}

static bool is_to_be_sent(const struct tm_segment_record *record, uint64_t after)
{
	return record->kind == TM_SEGMENT_REPORT && record->sequence > after &&
	       !(record->flags & TM_SEGMENT_LOCAL);
}

/* Finds the header of the next one. What cannot be read is left out. Return: 0, STORE_E_NONE. */
static int find(struct store *store, uint64_t after, struct tm_segment_record *ret_record)
{
	int r = store->reader.fd < 0 ? open_next(store, true) : 0;

	while (r == 0) {
		r = next_record(store, ret_record);
		if (r == 0 && is_to_be_sent(ret_record, after))
			return 0;
		if (r < 0)
			name_error(store->reader_first, r);
		if (r == 0 || r == TM_SEGMENT_E_FAULT) { /* named at the start */
			r = 0;
			continue;
		}
		if (is_last(store))
			return STORE_E_NONE; /* the next call goes on here */
		r = open_next(store, false);
	}
	return r;
}

enum {
	READ_E_LOST = 1,
};

/* Return: 0, READ_E_LOST (and why was printed), -errno: there is no memory. */
static int read_body(struct store *store, const struct tm_segment_record *record, int *ret_fd)
{
	struct tm_region body = TM_REGION_NULL;
	int r = tm_region_begin_blob(&body, "otlp", record->body_bytes), read = 0;

	if (r == 0)
		read = tm_segment_reader_body(&store->reader, record, body.addr);
	if (r == 0 && read == 0)
		r = tm_region_end_blob(&body);
	if (r == 0 && read == 0)
		*ret_fd = TM_TAKE_FD(body.fd);
	tm_region_close(&body);
	if (read < 0)
		name_error(store->reader_first, read);
	if (read > 0)
		name_damage(store, &store->reader, store->reader_first);
	return read != 0 ? READ_E_LOST : r;
}

/* Whether the reader is beyond what is asked for; each report is asked for again after a pause. */
static bool must_rewind(const struct store *store, uint64_t after)
{
	return store->reader.fd >= 0 && after < store->passed;
}

int store_fetch(struct store *store, uint64_t after, struct tm_segment_record *ret_record,
		int *ret_fd)
{
	int r;

	after = after > store->delivered ? after : store->delivered;
	if (must_rewind(store, after))
		store->reader.fd = tm_close(store->reader.fd);
	do {
		r = find(store, after, ret_record);
		if (r != 0) {
			store->passed = after;
			return r;
		}
		r = read_body(store, ret_record, ret_fd);
	} while (r == READ_E_LOST);
	store->passed = ret_record->sequence;
	return r;
}
