/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter - the thread that makes reports, so that no output can stop the reader
 */

#include "symbolizer/reporter.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/report_make.h"

/* The next one only when the caller has answered for the last: what both tell the command must not
 * mix. Return: NULL: there is none, and there will be none. */
static struct report_job *next_job(struct reporter *reporter)
{
	struct report_job *job = NULL;

	(void)pthread_mutex_lock(&reporter->lock);
	while ((reporter->done || !reporter->count) && !reporter->stopping)
		(void)pthread_cond_wait(&reporter->wake, &reporter->lock);
	if (reporter->done < reporter->count)
		job = reporter->jobs[reporter->done];
	(void)pthread_mutex_unlock(&reporter->lock);
	return job;
}

static void notify(const struct reporter *reporter)
{
	const char done = 0;

	(void)tm_fdpass_send(reporter->ready[1], &done, sizeof(done), -1, MSG_DONTWAIT);
}

static void make_report(struct reporter *reporter, struct report_job *job)
{
	report_make(job, reporter->control, &reporter->notes);
	(void)pthread_mutex_lock(&reporter->lock);
	reporter->done++;
	(void)pthread_mutex_unlock(&reporter->lock);
	notify(reporter);
}

static void *run(void *context)
{
	struct reporter *reporter = context;
	struct report_job *job;

	(void)pthread_mutex_lock(&reporter->lock);
	reporter->running = true;
	(void)pthread_cond_broadcast(&reporter->wake);
	(void)pthread_mutex_unlock(&reporter->lock);
	while ((job = next_job(reporter)))
		make_report(reporter, job);
	return NULL;
}

int reporter_start(struct reporter *reporter, int control)
{
	int r;

	*reporter = REPORTER_NULL;
	reporter->control = control;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reporter->ready) < 0)
		return -errno;
	r = pthread_mutex_init(&reporter->lock, NULL);
	if (r == 0)
		r = pthread_cond_init(&reporter->wake, NULL);
	if (r == 0)
		r = pthread_create(&reporter->thread, NULL, run, reporter);
	if (r != 0)
		return -r;
	reporter->started = true;
	/* What the C library does as a thread begins is not allowed in the sandbox. */
	(void)pthread_mutex_lock(&reporter->lock);
	while (!reporter->running)
		(void)pthread_cond_wait(&reporter->wake, &reporter->lock);
	(void)pthread_mutex_unlock(&reporter->lock);
	return 0;
}

void reporter_stop(struct reporter *reporter)
{
	if (reporter->started) {
		(void)pthread_mutex_lock(&reporter->lock);
		reporter->stopping = true;
		(void)pthread_cond_signal(&reporter->wake);
		(void)pthread_mutex_unlock(&reporter->lock);
		(void)pthread_join(reporter->thread, NULL);
	}
	for (unsigned i = 0; i < reporter->count; i++)
		reporter->jobs[i] = report_job_free(reporter->jobs[i]);
	reporter->ready[0] = tm_close(reporter->ready[0]);
	reporter->ready[1] = tm_close(reporter->ready[1]);
	reporter->started = false;
}

static unsigned count_jobs(struct reporter *reporter)
{
	unsigned count;

	(void)pthread_mutex_lock(&reporter->lock);
	count = reporter->count;
	(void)pthread_mutex_unlock(&reporter->lock);
	return count;
}

bool reporter_is_idle(struct reporter *reporter)
{
	return count_jobs(reporter) == 0;
}

bool reporter_is_full(struct reporter *reporter)
{
	return count_jobs(reporter) == REPORTER_JOBS_MAX;
}

void reporter_submit(struct reporter *reporter, struct report_job *job)
{
	(void)pthread_mutex_lock(&reporter->lock);
	reporter->jobs[reporter->count++] = job;
	(void)pthread_cond_signal(&reporter->wake);
	(void)pthread_mutex_unlock(&reporter->lock);
}

struct report_job *reporter_done(struct reporter *reporter)
{
	struct report_job *job = NULL;
	char done;
	int fd;

	while (tm_fdpass_recv(reporter->ready[0], &done, sizeof(done), &fd, MSG_DONTWAIT) == 0)
		fd = tm_close(fd);
	(void)pthread_mutex_lock(&reporter->lock);
	if (reporter->done)
		job = reporter->jobs[0];
	(void)pthread_mutex_unlock(&reporter->lock);
	return job;
}

/* What was freed lies between what stays: the allocator returns it only on request. */
static void trim(struct reporter *reporter)
{
	const uint64_t now_ms = tm_clock_ms();

	if (now_ms - reporter->trimmed_ms < REPORTER_TRIM_MS)
		return;
	reporter->trimmed_ms = now_ms;
	(void)malloc_trim(0);
}

void reporter_remove(struct reporter *reporter)
{
	struct report_job *job;

	(void)pthread_mutex_lock(&reporter->lock);
	job = reporter->jobs[0];
	reporter->done--;
	reporter->count--;
	memmove(reporter->jobs, reporter->jobs + 1, reporter->count * sizeof(reporter->jobs[0]));
	(void)pthread_cond_signal(&reporter->wake);
	(void)pthread_mutex_unlock(&reporter->lock);
	(void)report_job_free(job);
	trim(reporter);
}
