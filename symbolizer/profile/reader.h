/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reader - from the shared ring to the aggregation, round by round
 *
 * Announcements are applied as they are read; samples and exits go through the time order and are
 * counted once W has passed them. So does the meaning of a file number: RETIRE gives in what is
 * older before the number loses it. What waits for W to be forgotten runs behind what W released.
 */

#include <stdbool.h>

#include "shared/retire.h"
#include "shared/ring.h"
#include "symbolizer/profile/aggregate.h"
#include "symbolizer/profile/reorder.h"

struct reader {
	struct tm_ring_reader reader;
	struct reorder order;
	struct aggregate *aggregate; /* borrowed */
	uint64_t samples;            /* read and good */
	uint64_t bad_records;        /* read and refused */
	uint64_t bad_samples;        /* of those, what said that it was a sample */
	uint64_t memory;             /* samples dropped: no room in the budget or the order */
	uint64_t announces_lost;     /* announcements without room in the budget */
	uint64_t late;        /* records older than a W that was out before they were pushed */
	uint64_t first_ktime; /* of the oldest sample so far; 0: none */
	uint64_t last_ktime;
	uint64_t watermark;
	uint64_t released;             /* the W up to which everything was counted in */
	struct tm_retire_queue *queue; /* borrowed; what waits for W */
	bool broken; /* the ring's header or a length lied: nothing more is read */
	uint64_t record[(TM_EVENT_MAX_BYTES + 7) / 8]; /* the private copy being looked at */
};

enum {
	READER_E_MORE = 1,
};

void reader_init(struct reader *feed, struct aggregate *aggregate, struct tm_retire_queue *queue);
void reader_deinit(struct reader *feed);
/*
 * Notes what is in the ring by now. What the collector sent by the wire before it pushed any of
 * that can be received from here on. Return: 0, -EBADMSG (broken).
 */
int reader_note(struct reader *feed);
/* Reads what was noted. Return: 0 (all of it), READER_E_MORE, -EBADMSG (broken). */
int reader_read(struct reader *feed);
/* Both, one after the other. */
int reader_round(struct reader *feed);
/* The writer is done, or dead: reads and counts in everything that is left. */
void reader_drain(struct reader *feed);
/* One copied record of @bytes; what reader_round does with each. */
void reader_record(struct reader *feed, uint32_t bytes);
/* Counts in everything older than @watermark. */
void reader_release(struct reader *feed, uint64_t watermark);
