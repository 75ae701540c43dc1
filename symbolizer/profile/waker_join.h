/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * waker_join - joins the sample of a waker with that of the sleep which it ended
 *
 * The sample of a waker comes first, and lies with the thread that slept until the sleep's own
 * sample comes, or another waker's.
 * Limits     those of threads.h, of which wakers and stacks take THREADS_STACK_BYTES together. A
 *            waker that did not fit is counted; the sleep is shown without it then.
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/threads.h"

/* @waker: one whose turn has come. */
void waker_join_keep(struct threads *threads, const struct tm_sample *waker);
/*
 * @sample: of a sleep whose turn has come. Return: its waker's, valid until waker_join_end; NULL:
 * it has none, or files of its stack have been retired since.
 */
const struct tm_sample *waker_join(struct threads *threads, const struct files *files,
				   const struct tm_sample *sample);
/* The sleep of @sample has been counted. */
void waker_join_end(struct threads *threads, const struct tm_sample *sample);
