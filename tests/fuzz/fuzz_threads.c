/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_threads - a hostile collector's answers to what all threads do, and their last records
 *
 * Input: the bytes of an answer. It is given twice, in two intervals; then each of its records is
 * the last one of its thread.
 */

#include <stdlib.h>
#include <unistd.h>

#include "shared/region.h"
#include "symbolizer/profile/thread_answer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/symbolizer/recording.h"

#define NOW 1000000

static struct recording recording;
static struct threads threads;
static struct thread_rows rows;

static int open_blob(struct thread_blob *blob, const uint8_t *data, size_t bytes)
{
	int fd = tm_region_seal_blob("threads", data, bytes);
	int r = thread_blob_open(blob, fd, NOW, &threads.budget);

	if (fd < 0)
		abort();
	(void)close(fd);
	return r;
}

/* No thread has more time than has passed. */
static void check_rows(void)
{
	for (uint32_t i = 0; i < rows.count; i++) {
		const struct thread_row *row = &rows.items[i];
		uint64_t sum = 0;

		for (unsigned state = 0; state < TM_THREAD_STATES_N; state++)
			sum += row->times.ns[state];
		if (row->process >= recording.processes.count || !row->threads ||
		    sum > row->times.lifetime_ns || row->times.lifetime_ns > NOW)
			abort();
	}
}

static void take(const uint8_t *data, size_t bytes)
{
	struct sample_sum sum = {0};
	const struct thread_answer into = {&threads, &rows, &recording.aggregate, &sum, UINT64_MAX};
	struct thread_blob blob;

	if (open_blob(&blob, data, bytes))
		return;
	thread_answer_take(&into, &blob);
	thread_blob_close(&blob);
	check_rows();
	thread_rows_deinit(&rows);
	thread_rows_init(&rows, &recording.budget);
	threads.interval++;
}

static void end_all(const uint8_t *data, size_t bytes)
{
	const struct tm_thread *thread;
	struct thread_blob blob;

	if (open_blob(&blob, data, bytes))
		return;
	while ((thread = thread_blob_next(&blob)))
		thread_answer_ended(&threads, &rows, &recording.aggregate, thread);
	thread_blob_close(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (!bytes)
		return 0;
	if (recording_make(&recording) < 0)
		abort();
	threads_init(&threads, &recording.seed);
	threads.budget.limit = 1 << 20;
	thread_rows_init(&rows, &recording.budget);
	take(data, bytes);
	take(data, bytes);
	if (recording.aggregate.exported[TM_SAMPLE_OFF_CPU].value > 2ull * NOW * bytes)
		abort();
	end_all(data, bytes);
	check_rows();
	thread_rows_deinit(&rows);
	threads_deinit(&threads);
	if (threads.budget.used || threads.stack_bytes || recording_end(&recording))
		abort();
	return 0;
}
