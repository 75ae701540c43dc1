/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reader - reads records from the shared ring and passes them on in the order of their time
 *
 * Announcements are applied as they are read, but for the further parts of a line table: these,
 * samples and exits wait in the reorder queue until W has passed them. RETIRE first releases every
 * older sample, so that these still get the file that the number stood for. The callbacks of the
 * retire queue run after the samples that W released.
 */

#include <stdbool.h>

#include "shared/retire.h"
#include "shared/ring_reader.h"
#include "symbolizer/profile/aggregate.h"
#include "symbolizer/profile/reorder.h"
#include "symbolizer/profile/thread_answer.h"

struct reader {
	struct tm_ring_reader ring;
	struct reorder order;
	struct aggregate *aggregate; /* borrowed */
	struct threads *threads;     /* borrowed; NULL: off-CPU is not recorded */
	struct thread_rows *rows;    /* borrowed: of the open interval */
	const struct ksyms *kernel;  /* borrowed; NULL: there is no table */
	struct sample_counts samples[TM_SAMPLE_KINDS_N];
	uint64_t bad_records;    /* records that were read and refused */
	uint64_t announces_lost; /* announcements dropped: the budget is spent */
	uint64_t late;           /* records older than a W published before they were pushed */
	uint64_t first_ktime;    /* of the oldest sample so far; 0: none */
	uint64_t last_ktime;
	uint64_t watermark;
	uint64_t released;             /* the W up to which every record was released */
	struct tm_retire_queue *queue; /* borrowed; its callbacks wait for W */
	bool broken; /* the ring's header or a length is invalid: reading has stopped */
	uint64_t record[(TM_EVENT_MAX_BYTES + 7) / 8]; /* private copy of the current record */
};

enum {
	READER_E_MORE = 1,
};

void reader_init(struct reader *reader, struct aggregate *aggregate, struct tm_retire_queue *queue);
void reader_deinit(struct reader *reader);
/*
 * Determines which records are in the ring now. Messages that the collector sent before it pushed
 * any of these can be received from the socket after this call. Return: 0, -EBADMSG (broken).
 */
int reader_note(struct reader *reader);
/* Reads those records. Return: 0 (all of them), READER_E_MORE, -EBADMSG (broken). */
int reader_read(struct reader *reader);
/* Calls reader_note and reader_read. */
int reader_round(struct reader *reader);
/* Reads and releases every record that is left, once the collector has finished or died. */
void reader_drain(struct reader *reader);
/* Handles the record of @bytes in reader->record, as reader_read does. */
void reader_record(struct reader *reader, uint32_t bytes);
/* Applies the waiting samples and exits that are older than @watermark. */
void reader_release(struct reader *reader, uint64_t watermark);
