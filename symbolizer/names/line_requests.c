/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_requests - the addresses whose source lines reports have missed, by file, and what came
 */

#include "symbolizer/names/line_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

int line_requests_init(struct line_requests *requests, struct parser_requests *wake)
{
	pthread_condattr_t clock;
	int r;

	*requests = (struct line_requests){.wake = wake};
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	r = pthread_mutex_init(&requests->lock, NULL);
	if (!r)
		r = pthread_cond_init(&requests->changed, &clock);
	(void)pthread_condattr_destroy(&clock);
	return -r;
}

void line_requests_deinit(struct line_requests *requests)
{
	line_requests_files_deinit(&requests->files);
}

/* Under the lock, as all that follow. */
static bool is_due(const struct line_requests *requests, const struct line_requests_file *file,
		   int64_t now_ms)
{
	const int64_t wait_ms = line_requests_file_is_worth_it(file) ? 0 : LINE_REQUESTS_WAIT_MS;

	return file->state == LINE_REQUESTS_IDLE && file->wanted &&
	       (requests->last || file->next_ms + wait_ms <= now_ms);
}

static struct line_requests_result result_of(const struct line_requests_file *file, int fd)
{
	return (struct line_requests_result){
		.identity = file->identity,
		.build_id = file->build_id,
		.vaddrs = file->asked,
		.count = file->asked_count,
		.fd = fd,
	};
}

/* --- the reporter's thread -------------------------------------------------------------------- */

int line_requests_want(struct line_requests *requests, const struct tm_identity *identity,
		       const struct line_requests_build_id *build_id, const uint64_t *vaddrs,
		       uint32_t count, uint64_t misses)
{
	int r = 0;

	(void)pthread_mutex_lock(&requests->lock);
	if (count)
		r = line_requests_files_want(&requests->files, identity, build_id, vaddrs, count,
					     misses);
	(void)pthread_mutex_unlock(&requests->lock);
	return r;
}

void line_requests_set_last(struct line_requests *requests)
{
	(void)pthread_mutex_lock(&requests->lock);
	requests->last = true;
	(void)pthread_mutex_unlock(&requests->lock);
}

/* *ret_open: whether a result may come. Return: the file that has one, or NULL. */
static struct line_requests_file *find_result(struct line_requests *requests, bool *ret_open)
{
	const int64_t now_ms = (int64_t)tm_clock_ms();

	*ret_open = false;
	for (uint32_t i = 0; i < requests->files.count; i++) {
		struct line_requests_file *file = &requests->files.items[i];

		if (file->state == LINE_REQUESTS_HAVE)
			return file;
		*ret_open |= file->state == LINE_REQUESTS_ASKED ||
			     (!requests->exhausted && is_due(requests, file, now_ms));
	}
	return NULL;
}

static struct line_requests_file *wait_for_result(struct line_requests *requests, int64_t end_ms)
{
	const struct timespec end = {(time_t)(end_ms / 1000), (long)(end_ms % 1000) * 1000000};
	struct line_requests_file *file;
	bool open;
	int r = 0;

	while (!(file = find_result(requests, &open)) && open && r == 0)
		r = pthread_cond_timedwait(&requests->changed, &requests->lock, &end);
	return file;
}

int line_requests_next_result(struct line_requests *requests, int64_t end_ms,
			      struct line_requests_result *ret_result)
{
	struct line_requests_file *file;

	if (requests->wake)
		parser_requests_wake(requests->wake);
	(void)pthread_mutex_lock(&requests->lock);
	file = wait_for_result(requests, end_ms);
	if (file) {
		*ret_result = result_of(file, file->result);
		file->asked = NULL;
		file->result = -1;
		line_requests_files_drop_asked(&requests->files, file);
		file->state = LINE_REQUESTS_IDLE;
	}
	(void)pthread_mutex_unlock(&requests->lock);
	return file ? 0 : LINE_REQUESTS_E_NONE;
}

enum tm_no_line line_requests_reason(struct line_requests *requests,
				     const struct tm_identity *identity)
{
	const struct line_requests_file *file;
	enum tm_no_line reason = TM_NO_LINE_MEMORY;

	(void)pthread_mutex_lock(&requests->lock);
	file = line_requests_files_find(&requests->files, identity);
	if (file && file->wanted && requests->exhausted)
		reason = TM_NO_LINE_CPU_TIME;
	else if (file)
		reason = file->reason;
	(void)pthread_mutex_unlock(&requests->lock);
	return reason;
}

void line_requests_refuse(struct line_requests *requests, const struct tm_identity *identity)
{
	struct line_requests_file *file;

	(void)pthread_mutex_lock(&requests->lock);
	file = line_requests_files_find(&requests->files, identity);
	if (file)
		file->reason = TM_NO_LINE_NOT_PARSED;
	(void)pthread_mutex_unlock(&requests->lock);
}

void line_requests_finish(struct line_requests *requests)
{
	(void)pthread_mutex_lock(&requests->lock);
	requests->finished = true;
	(void)pthread_mutex_unlock(&requests->lock);
	if (requests->wake)
		parser_requests_wake(requests->wake);
}

/* --- the reader's thread ---------------------------------------------------------------------- */

uint32_t line_requests_open(struct line_requests *requests)
{
	uint32_t open = 0;

	(void)pthread_mutex_lock(&requests->lock);
	for (uint32_t i = 0; i < requests->files.count; i++)
		open += line_requests_file_is_worth_it(&requests->files.items[i]) ||
			requests->files.items[i].state != LINE_REQUESTS_IDLE;
	(void)pthread_mutex_unlock(&requests->lock);
	return open;
}

bool line_requests_is_finished(struct line_requests *requests)
{
	bool finished;

	(void)pthread_mutex_lock(&requests->lock);
	finished = requests->finished;
	(void)pthread_mutex_unlock(&requests->lock);
	return finished;
}

bool line_requests_is_last(struct line_requests *requests)
{
	bool last;

	(void)pthread_mutex_lock(&requests->lock);
	last = requests->last;
	(void)pthread_mutex_unlock(&requests->lock);
	return last;
}

int line_requests_take(struct line_requests *requests, int64_t now_ms,
		       struct line_requests_result *ret_result)
{
	int r = LINE_REQUESTS_E_NONE;

	(void)pthread_mutex_lock(&requests->lock);
	for (uint32_t i = 0; r && i < requests->files.count; i++) {
		struct line_requests_file *file = &requests->files.items[i];

		if (!is_due(requests, file, now_ms))
			continue;
		file->asked = file->wanted;
		file->asked_count = file->wanted_count;
		file->wanted = NULL;
		file->wanted_count = 0;
		file->misses = 0;
		file->state = LINE_REQUESTS_ASKED;
		file->next_ms = now_ms + LINE_REQUESTS_PAUSE_MS;
		*ret_result = result_of(file, -1);
		r = 0;
	}
	(void)pthread_mutex_unlock(&requests->lock);
	return r;
}

void line_requests_put(struct line_requests *requests, const struct tm_identity *identity, int fd,
		       uint32_t cpu_ms)
{
	_cleanup_(tm_closep) int taken = fd;
	struct line_requests_file *file;

	(void)pthread_mutex_lock(&requests->lock);
	file = line_requests_files_find(&requests->files, identity);
	if (file && file->state == LINE_REQUESTS_ASKED) {
		file->result = TM_TAKE_FD(taken);
		file->state = LINE_REQUESTS_HAVE;
		file->reason = TM_NO_LINE_PENDING;
		file->failures = 0;
		file->cpu_ms = cpu_ms;
		(void)pthread_cond_broadcast(&requests->changed);
	}
	(void)pthread_mutex_unlock(&requests->lock);
}

void line_requests_fail(struct line_requests *requests, const struct tm_identity *identity,
			enum tm_no_line reason, int64_t now_ms)
{
	struct line_requests_file *file;
	int64_t pause = LINE_REQUESTS_PAUSE_MAX;

	(void)pthread_mutex_lock(&requests->lock);
	file = line_requests_files_find(&requests->files, identity);
	if (file && file->state == LINE_REQUESTS_ASKED) {
		if (file->failures < 6 && LINE_REQUESTS_PAUSE_MS << file->failures < pause)
			pause = LINE_REQUESTS_PAUSE_MS << file->failures;
		if (file->failures < UINT8_MAX)
			file->failures++;
		file->next_ms = now_ms + pause;
		file->reason = (uint8_t)reason;
		file->state = LINE_REQUESTS_IDLE;
		line_requests_files_drop_asked(&requests->files, file);
		(void)pthread_cond_broadcast(&requests->changed);
	}
	(void)pthread_mutex_unlock(&requests->lock);
}

void line_requests_set_exhausted(struct line_requests *requests, bool exhausted)
{
	(void)pthread_mutex_lock(&requests->lock);
	if (exhausted && !requests->exhausted)
		(void)pthread_cond_broadcast(&requests->changed);
	requests->exhausted = exhausted;
	(void)pthread_mutex_unlock(&requests->lock);
}
