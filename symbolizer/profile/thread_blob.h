/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_blob - reads the collector's answer to "what do all threads do", record by record
 *
 * Shape      a sealed memfd of THREAD records, one behind the other.
 * Trust      the collector is hostile: the bytes are copied once and then checked. A record that
 *            fails its check is skipped and counted; one whose length is impossible ends the
 *            reading, since nothing says where the next one begins.
 * Limits     TM_THREADS_MAX_BYTES, charged to a budget until it is closed.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/wire.h"
#include "symbolizer/base/budget.h"

struct thread_blob {
	void *bytes; /* owned */
	size_t count;
	size_t at;
	uint64_t ktime; /* at which reading the threads ended */
	uint64_t bad;   /* records that were refused */
	struct budget *budget;
};
#define THREAD_BLOB_NULL ((struct thread_blob){NULL, 0, 0, 0, 0, NULL})

enum {
	THREAD_BLOB_E_MISSING = 1, /* no valid blob, or no memory for it */
};

/* @fd: stays the caller's. @ktime: at which reading the threads ended: no record may be younger.
 * Return: 0, THREAD_BLOB_E_MISSING. */
int thread_blob_open(struct thread_blob *blob, int fd, uint64_t ktime, struct budget *budget);
void thread_blob_close(struct thread_blob *blob);
/* Return: the next valid record, NULL: there is none. */
const struct tm_thread *thread_blob_next(struct thread_blob *blob);
/* Whether it is as large as an answer gets, so that threads may have been left out. */
bool thread_blob_is_full(const struct thread_blob *blob);
