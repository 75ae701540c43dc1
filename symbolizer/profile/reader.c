/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader - from the shared ring to the aggregation, round by round
 */

#include "symbolizer/profile/reader.h"

#include <errno.h>
#include <string.h>

#include "shared/event_check.h"

static void take_ordered(struct reader *feed, const struct tm_event *event)
{
	int sample = event->type == TM_EVENT_SAMPLE;

	if (sample) {
		feed->samples++;
		if (!feed->first_ktime || event->ktime < feed->first_ktime)
			feed->first_ktime = event->ktime;
		if (event->ktime > feed->last_ktime)
			feed->last_ktime = event->ktime;
	}
	if (reorder_push(&feed->order, event) && sample)
		feed->memory++;
}

/*
 * Everything older was read: the collector writes it once W has passed that moment. One that claims
 * another moment would disorder what is still to come.
 */
static void take_retire(struct reader *feed, const struct tm_retire *retire)
{
	if (retire->event.ktime >= feed->reader.passed) {
		feed->bad_records++;
		return;
	}
	reader_release(feed, retire->event.ktime);
	files_retire(feed->aggregate->files, retire->number, retire->event.ktime);
}

static int pop_into_order(struct reader *feed)
{
	uint32_t bytes;
	int r;

	while (reorder_has_room(&feed->order)) {
		r = tm_ring_pop(&feed->reader, feed->record, sizeof(feed->record), &bytes);
		if (r)
			return r;
		reader_record(feed, bytes);
	}
	return 0;
}

void reader_init(struct reader *feed, struct aggregate *aggregate, struct tm_retire_queue *queue)
{
	memset(feed, 0, sizeof(*feed)); /* too large for a second one on the stack */
	feed->aggregate = aggregate;
	feed->queue = queue;
}

void reader_deinit(struct reader *feed)
{
	reorder_deinit(&feed->order);
}

void reader_record(struct reader *feed, uint32_t bytes)
{
	const void *record = feed->record;
	const struct tm_event *event = record;

	if (tm_event_check_from_ring(record, bytes)) {
		feed->bad_records++;
		feed->bad_samples += bytes >= sizeof(*event) && event->type == TM_EVENT_SAMPLE;
		return;
	}
	/* A RETIRE is written once W has passed it, all others must come before. */
	if (event->type != TM_EVENT_RETIRE && event->ktime < feed->reader.passed)
		feed->late++;
	switch (event->type) {
	case TM_EVENT_PROCESS:
		if (process_announce(feed->aggregate->processes, record))
			feed->announces_lost++;
		break;
	case TM_EVENT_FILE:
		if (files_announce(feed->aggregate->files, record))
			feed->announces_lost++;
		break;
	case TM_EVENT_RETIRE:
		take_retire(feed, record);
		break;
	default:
		take_ordered(feed, event);
		break;
	}
}

void reader_release(struct reader *feed, uint64_t watermark)
{
	const struct tm_event *event;

	while (!reorder_pop(&feed->order, watermark, &event)) {
		const void *record = event;

		if (event->type == TM_EVENT_EXIT)
			process_exit(feed->aggregate->processes, event);
		else if (aggregate_add(feed->aggregate, record))
			feed->memory++;
	}
}

/*
 * Where the order filled up before the round was read to its end, only what is older than the last
 * stamp is known to have been read whole; where that makes no room (more records between two
 * stamps than the order may hold), going on matters more than the order.
 */
static void release_read(struct reader *feed, int read_whole)
{
	uint64_t released = read_whole ? feed->watermark : feed->reader.passed;

	reader_release(feed, released);
	if (!reorder_has_room(&feed->order)) {
		released = feed->watermark;
		reader_release(feed, released);
	}
	if (released > feed->released)
		feed->released = released;
	(void)tm_retire_run(feed->queue, feed->released);
}

int reader_note(struct reader *feed)
{
	int r;

	if (feed->broken)
		return -EBADMSG;
	r = tm_ring_reader_begin(&feed->reader, &feed->watermark);
	feed->broken = r < 0;
	return r;
}

int reader_read(struct reader *feed)
{
	int r;

	if (feed->broken)
		return -EBADMSG;
	r = pop_into_order(feed);
	tm_ring_reader_commit(&feed->reader);
	release_read(feed, r == TM_RING_E_EMPTY);
	if (r < 0) {
		feed->broken = true;
		return r;
	}
	return r == TM_RING_E_EMPTY ? 0 : READER_E_MORE;
}

int reader_round(struct reader *feed)
{
	int r = reader_note(feed);

	return r < 0 ? r : reader_read(feed);
}

void reader_drain(struct reader *feed)
{
	/* With a watermark that no longer moves the order may fill; its oldest then goes first. */
	while (reader_round(feed) == READER_E_MORE)
		if (!reorder_has_room(&feed->order))
			reader_release(feed, REORDER_ALL);
	reader_release(feed, REORDER_ALL);
}
