/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_blob - reads the collector's answer to "what do all threads do", record by record
 */

#include "symbolizer/profile/thread_blob.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "shared/event_check_ring.h"
#include "shared/region.h"

int thread_blob_open(struct thread_blob *blob, int fd, uint64_t ktime, struct budget *budget)
{
	struct stat status;
	size_t size;

	*blob = THREAD_BLOB_NULL;
	if (fstat(fd, &status) < 0 || status.st_size <= 0 ||
	    (uint64_t)status.st_size > TM_THREADS_MAX_BYTES)
		return THREAD_BLOB_E_MISSING;
	size = (size_t)status.st_size;
	if (budget_take(budget, size))
		return THREAD_BLOB_E_MISSING;
	/* The seals keep its size. */
	if (tm_region_copy_blob(fd, size, size, &blob->bytes, &blob->count) < 0) {
		budget_give(budget, size);
		return THREAD_BLOB_E_MISSING;
	}
	blob->ktime = ktime;
	blob->budget = budget;
	return 0;
}

void thread_blob_close(struct thread_blob *blob)
{
	if (!blob->bytes)
		return;
	free(blob->bytes);
	budget_give(blob->budget, blob->count);
	*blob = THREAD_BLOB_NULL;
}

/* Return: the record at the current place, whose length alone is checked; NULL: the end. */
static const struct tm_event *next_record(struct thread_blob *blob)
{
	size_t left = blob->count - blob->at;
	const struct tm_event *event;

	if (!left)
		return NULL;
	event = (const void *)((const char *)blob->bytes + blob->at);
	if (left < sizeof(*event) || event->bytes < sizeof(*event) || event->bytes % 8 ||
	    event->bytes > left) {
		blob->bad++;
		blob->at = blob->count;
		return NULL;
	}
	blob->at += event->bytes;
	return event;
}

const struct tm_thread *thread_blob_next(struct thread_blob *blob)
{
	const struct tm_event *event;

	while ((event = next_record(blob))) {
		const void *record = event;

		if (event->type == TM_EVENT_THREAD && event->ktime <= blob->ktime &&
		    !tm_event_check_from_ring(record, event->bytes))
			return record;
		blob->bad++;
	}
	return NULL;
}

bool thread_blob_is_full(const struct thread_blob *blob)
{
	return blob->count > TM_THREADS_MAX_BYTES - TM_EVENT_MAX_BYTES;
}
