/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader - reads records from the shared ring and passes them on in the order of their time
 */

#include "symbolizer/profile/reader.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "shared/event_check_ring.h"
#include "symbolizer/profile/python_loops.h"
#include "symbolizer/profile/stack_join.h"
#include "symbolizer/profile/waker_join.h"

/* Whether it is a stack or a waker: a part of a sample that comes later. */
static bool is_part(const struct tm_sample *sample)
{
	return sample->kind == TM_SAMPLE_WAKER || stack_join_is_stack(sample);
}

static void take_part(struct reader *reader, struct tm_sample *part)
{
	if (part->kind == TM_SAMPLE_WAKER && reader->kernel)
		waker_kind_set(part, reader->kernel);
	if (reader->threads && reorder_push(&reader->order, &part->event))
		++*(part->kind == TM_SAMPLE_WAKER ? &reader->threads->lost.wakers
						  : &reader->threads->lost.stacks);
}

static void take_sample(struct reader *reader, const struct tm_sample *sample)
{
	struct sample_counts *counts = &reader->samples[sample->kind];
	uint64_t ktime = sample->event.ktime;

	sample_sum_count(&counts->read, sample->value);
	if (!reader->first_ktime || ktime < reader->first_ktime)
		reader->first_ktime = ktime;
	if (ktime > reader->last_ktime)
		reader->last_ktime = ktime;
	if (reorder_push(&reader->order, &sample->event))
		sample_sum_count(&counts->no_memory, sample->value);
}

/* With what came before of it. Return: 0, BUDGET_E_SPENT. */
static int add_off_cpu(struct reader *reader, const struct tm_sample *sample)
{
	struct threads *threads = reader->threads;
	const struct files *files = reader->aggregate->files;
	const struct tm_sample *joined = stack_join(threads, files, sample);
	const struct tm_sample *waker = waker_join(threads, files, sample);
	int r = aggregate_add_woken(reader->aggregate, joined, in_progress_left(threads, joined),
				    waker);

	waker_join_end(threads, sample);
	return r;
}

static void add_method(struct reader *reader, const struct tm_method *record)
{
	reader->announces_lost += methods_announce(reader->aggregate->methods, record) != 0;
}

/* A part of a line table is taken when the one before it, which may be in another CPU's ring, has
 * been read. */
static void take_method(struct reader *reader, const struct tm_method *record)
{
	if (!record->lines_part)
		add_method(reader, record);
	else
		reader->announces_lost += reorder_push(&reader->order, &record->event) != 0;
}

/* Its turn has come. */
static void add_sample(struct reader *reader, const struct tm_sample *sample)
{
	struct sample_counts *counts;
	bool no_memory;

	if (sample->kind == TM_SAMPLE_WAKER) {
		waker_join_keep(reader->threads, sample);
		return;
	}
	if (reader->threads && stack_join_is_stack(sample)) {
		stack_join_keep(reader->threads, sample);
		return;
	}
	if (reader->threads && sample->kind == TM_SAMPLE_OFF_CPU)
		no_memory = add_off_cpu(reader, sample);
	else
		no_memory = aggregate_add(reader->aggregate, sample);
	counts = &reader->samples[sample->kind];
	sample_sum_count(no_memory ? &counts->no_memory : &counts->exported, sample->value);
}

static void end_thread(struct reader *reader, const struct tm_thread *thread)
{
	if (reader->threads && thread->state == TM_THREAD_STATES_N)
		thread_answer_ended(reader->threads, reader->rows, reader->aggregate, thread);
}

/* A record that was refused counts as a sample of the kind that it claims, else as on-CPU. */
static void refuse(struct reader *reader, const struct tm_sample *record, uint32_t bytes)
{
	unsigned kind = TM_SAMPLE_ON_CPU;

	reader->bad_records++;
	if (bytes < sizeof(record->event) || record->event.type != TM_EVENT_SAMPLE)
		return;
	if (bytes > offsetof(struct tm_sample, kind) && record->kind < TM_SAMPLE_KINDS_N)
		kind = record->kind;
	reader->samples[kind].bad++;
}

/*
 * The collector writes a RETIRE once W has passed its ktime, so every older record has been read. A
 * record that claims a later time is refused: it would release samples too early.
 */
static void take_retire(struct reader *reader, const struct tm_retire *retire)
{
	if (retire->event.ktime >= reader->ring.passed) {
		reader->bad_records++;
		return;
	}
	reader_release(reader, retire->event.ktime);
	files_retire(reader->aggregate->files, retire->number, retire->event.ktime);
}

static int fill_order(struct reader *reader)
{
	uint32_t bytes;
	int r;

	while (reorder_has_space(&reader->order)) {
		r = tm_ring_pop(&reader->ring, reader->record, sizeof(reader->record), &bytes);
		if (r)
			return r;
		reader_record(reader, bytes);
	}
	return 0;
}

void reader_init(struct reader *reader, struct aggregate *aggregate, struct tm_retire_queue *queue)
{
	memset(reader, 0, sizeof(*reader)); /* too large for a compound literal */
	reader->aggregate = aggregate;
	reader->queue = queue;
}

void reader_deinit(struct reader *reader)
{
	reorder_deinit(&reader->order);
}

void reader_record(struct reader *reader, uint32_t bytes)
{
	const void *record = reader->record;
	const struct tm_event *event = record;

	if (tm_event_check_from_ring(record, bytes) ||
	    (event->type == TM_EVENT_METHOD && !method_content_fits(record))) {
		refuse(reader, record, bytes);
		return;
	}
	/* A RETIRE is written once W has passed its ktime; all other records before that. */
	if (event->type != TM_EVENT_RETIRE && event->ktime < reader->ring.passed)
		reader->late++;
	switch (event->type) {
	case TM_EVENT_PROCESS:
		if (process_announce(reader->aggregate->processes, record))
			reader->announces_lost++;
		break;
	case TM_EVENT_CONTEXT:
		if (process_declare(reader->aggregate->processes, record))
			reader->announces_lost++;
		break;
	case TM_EVENT_FILE:
		if (files_announce(reader->aggregate->files, record))
			reader->announces_lost++;
		break;
	case TM_EVENT_METHOD:
		take_method(reader, record);
		break;
	case TM_EVENT_RETIRE:
		take_retire(reader, record);
		break;
	case TM_EVENT_SAMPLE:
		python_loops_settle((struct tm_sample *)reader->record);
		if (is_part(record))
			take_part(reader, (struct tm_sample *)reader->record);
		else
			take_sample(reader, record);
		break;
	default:
		(void)reorder_push(&reader->order, event);
		break;
	}
}

void reader_release(struct reader *reader, uint64_t watermark)
{
	const struct tm_event *event;

	while (!reorder_pop(&reader->order, watermark, &event)) {
		const void *record = event;

		if (event->type == TM_EVENT_EXIT)
			process_exit(reader->aggregate->processes, event);
		else if (event->type == TM_EVENT_THREAD)
			end_thread(reader, record);
		else if (event->type == TM_EVENT_METHOD)
			add_method(reader, record);
		else
			add_sample(reader, record);
	}
}

/*
 * If the reorder queue filled up before the end of the round, only records older than the W of the
 * last stamp are certain to be complete. If releasing those does not free space (there are more
 * records between two stamps than the queue may hold), everything older than the W of the round is
 * released, possibly out of order.
 */
static void release_read(struct reader *reader, bool read_all)
{
	uint64_t released = read_all ? reader->watermark : reader->ring.passed;

	reader_release(reader, released);
	if (!reorder_has_space(&reader->order)) {
		released = reader->watermark;
		reader_release(reader, released);
	}
	if (released > reader->released)
		reader->released = released;
	(void)tm_retire_run(reader->queue, reader->released);
}

int reader_note(struct reader *reader)
{
	int r;

	if (reader->broken)
		return -EBADMSG;
	r = tm_ring_reader_begin(&reader->ring, &reader->watermark);
	reader->broken = r < 0;
	return r;
}

int reader_read(struct reader *reader)
{
	int r;

	if (reader->broken)
		return -EBADMSG;
	r = fill_order(reader);
	tm_ring_reader_commit(&reader->ring);
	release_read(reader, r == TM_RING_E_EMPTY);
	if (r < 0) {
		reader->broken = true;
		return r;
	}
	return r == TM_RING_E_EMPTY ? 0 : READER_E_MORE;
}

int reader_round(struct reader *reader)
{
	int r = reader_note(reader);

	return r < 0 ? r : reader_read(reader);
}

void reader_drain(struct reader *reader)
{
	/* W no longer rises, so the queue may fill up; its records are released then. */
	while (reader_round(reader) == READER_E_MORE)
		if (!reorder_has_space(&reader->order))
			reader_release(reader, REORDER_ALL);
	reader_release(reader, REORDER_ALL);
}
