/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_answer - takes what threads do and did into the open interval
 */

#include "symbolizer/profile/thread_answer.h"

#include <string.h>

/* By state, with the time since the state began. */
static void total(const struct tm_thread *record, uint64_t *ret_ns)
{
	uint64_t now = record->event.ktime - record->since;

	memcpy(ret_ns, record->ns, sizeof(record->ns));
	if (record->state < TM_THREAD_STATES_N)
		ret_ns[record->state] += now < TM_OFF_CPU_VALUE_MAX ? now : TM_OFF_CPU_VALUE_MAX;
}

static bool is_same_thread(const struct thread *thread, const struct tm_thread *record)
{
	return thread && thread->ktime && record->seen <= thread->ktime;
}

/*
 * What @record has more than the thread's last one. The times of a peer that lies may add up to
 * more than has passed: then the later states lose them.
 * Return: whether its time before this interval is known. @thread: NULL: no record before.
 */
static bool since_last(struct threads *threads, const struct thread *thread,
		       const struct tm_thread *record, struct thread_times *ret_times)
{
	static const uint64_t none[TM_THREAD_STATES_N];
	bool again = is_same_thread(thread, record);
	uint64_t from = again ? thread->ktime : record->seen;
	const uint64_t *before = again ? thread->ns : none;
	uint64_t left;

	if ((!again && record->seen < threads->known_since) || record->event.ktime < from) {
		threads->lost.unknown++;
		return false;
	}
	left = record->event.ktime - from;
	ret_times->lifetime_ns = left;
	total(record, ret_times->ns);
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++) {
		uint64_t ns = ret_times->ns[i] > before[i] ? ret_times->ns[i] - before[i] : 0;

		ret_times->ns[i] = ns < left ? ns : left;
		left -= ret_times->ns[i];
	}
	return true;
}

/*
 * The next difference is to what was counted up to @record: so a time that moved from one state to
 * another since, or that a state lost above, is made up for. @times: what was counted; NULL: what
 * @record has is not to be counted.
 */
static void note(struct threads *threads, struct thread *thread, const struct tm_thread *record,
		 const struct thread_times *times)
{
	bool again = is_same_thread(thread, record);

	if (!times)
		total(record, thread->ns);
	for (unsigned i = 0; times && i < TM_THREAD_STATES_N; i++)
		thread->ns[i] = times->ns[i] + (again ? thread->ns[i] : 0);
	thread->answer = threads->answers;
	thread->ktime = record->event.ktime;
}

/*
 * A thread that has left its group does not know its leader's start: it is that of the process with
 * its tgid that began last, where one is known.
 */
static uint64_t start_of(const struct thread *thread, const struct thread_rows *rows,
			 const struct process_table *processes, const struct tm_event *event)
{
	uint64_t start = thread ? thread->start_boottime : event->start_boottime;

	if (start || rows->ended >= THREAD_ROWS_ENDED_MAX)
		return start;
	for (uint32_t i = 0; i < processes->count; i++) {
		const struct process *process = &processes->items[i];

		if (process->state != PROCESS_FREE && process->tgid == event->tgid &&
		    process->start_boottime > start)
			start = process->start_boottime;
	}
	return start;
}

static void add_row(struct threads *threads, struct thread *thread, struct thread_rows *rows,
		    struct aggregate *aggregate, const struct tm_thread *record,
		    const struct thread_times *times)
{
	struct tm_event event = record->event;
	uint32_t row;

	if (is_same_thread(thread, record) && thread->interval == threads->interval &&
	    thread->row) {
		thread_rows_add_to(rows, thread->row, times);
		return;
	}
	event.start_boottime = start_of(thread, rows, aggregate->processes, &event);
	row = thread_rows_add(rows, aggregate, &event, record->comm,
			      record->state == TM_THREAD_STATES_N, times);
	if (!thread)
		return;
	thread->row = row;
	thread->interval = threads->interval;
}

static void take(const struct thread_answer *answer, const struct tm_thread *record)
{
	struct threads *threads = answer->threads;
	struct thread *thread = threads_get(threads, &record->event);
	struct thread_times times;
	bool known;

	if (thread && thread->answer == threads->answers) {
		threads->lost.bad++; /* twice in one answer */
		return;
	}
	known = since_last(threads, thread, record, &times);
	if (known)
		add_row(threads, thread, answer->rows, answer->aggregate, record, &times);
	if (!thread)
		return;
	note(threads, thread, record, known ? &times : NULL);
	in_progress_add(threads, thread, answer->aggregate, record, answer->until,
			answer->in_progress);
}

/*
 * @oldest: of the records. Whoever was seen first before that is in the answer, or is gone. Its
 * last record may still be in the ring: that has been read as far as the answer before.
 */
static void end(struct threads *threads, struct thread_blob *blob, uint64_t oldest)
{
	uint64_t before = threads->known_since;

	threads->lost.bad += blob->bad;
	if (oldest > blob->ktime)
		return; /* it was empty */
	threads->known_since = oldest;
	if (!thread_blob_is_full(blob))
		threads_remove_absent(threads, before);
}

void thread_answer_take(const struct thread_answer *answer, struct thread_blob *blob)
{
	const struct tm_thread *record;
	uint64_t oldest = UINT64_MAX;

	answer->threads->answers++;
	while ((record = thread_blob_next(blob))) {
		if (record->state == TM_THREAD_STATES_N) {
			blob->bad++;
			continue;
		}
		if (record->event.ktime < oldest)
			oldest = record->event.ktime;
		take(answer, record);
	}
	end(answer->threads, blob, oldest);
}

void thread_answer_begin(struct threads *threads, struct thread_blob *blob)
{
	const struct tm_thread *record;
	uint64_t oldest = UINT64_MAX;

	threads->answers++;
	while ((record = thread_blob_next(blob))) {
		struct thread *thread = threads_get(threads, &record->event);

		if (record->event.ktime < oldest)
			oldest = record->event.ktime;
		if (thread)
			note(threads, thread, record, /* times= */ NULL);
	}
	end(threads, blob, oldest);
}

void thread_answer_ended(struct threads *threads, struct thread_rows *rows,
			 struct aggregate *aggregate, const struct tm_thread *record)
{
	struct thread *thread = threads_find(threads, &record->event);
	struct thread_times times;

	if (since_last(threads, thread, record, &times))
		add_row(threads, thread, rows, aggregate, record, &times);
	if (thread)
		threads_remove(threads, thread);
}
