/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_threads - the report's rows of how threads spent the interval
 */

#include "symbolizer/output/report_threads.h"

#include <stdlib.h>
#include <string.h>

static struct report_thread describe(const struct thread_row *row, uint32_t process)
{
	struct report_thread thread = {
		.process = process,
		.tid = row->tid,
		.comm = row->comm,
		.threads = row->threads,
		.lifetime_ns = row->times.lifetime_ns,
	};

	memcpy(thread.ns, row->times.ns, sizeof(thread.ns));
	return thread;
}

uint64_t report_threads_need(const struct thread_rows *rows)
{
	return ((uint64_t)rows->count + 1) * sizeof(struct report_thread);
}

struct report_thread *report_threads_make(const struct thread_rows *rows, const uint32_t *numbers,
					  uint32_t *ret_count)
{
	struct report_thread *threads = calloc((size_t)rows->count + 1, sizeof(*threads));
	uint32_t count = 0;

	if (!threads)
		return NULL;
	for (uint32_t i = 0; i < rows->count; i++)
		/* 0 - 1 is REPORT_NO_PROCESS */
		threads[count++] = describe(&rows->items[i], numbers[rows->items[i].process] - 1);
	if (rows->other.threads)
		threads[count++] = describe(&rows->other, REPORT_NO_PROCESS);
	*ret_count = count;
	return threads;
}
