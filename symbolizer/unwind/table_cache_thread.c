/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache_thread - the thread that reads and writes the cache, so that its disk stops nothing
 */

#include "symbolizer/unwind/table_cache_thread.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/unwind/table_cache_requests.h"
#include "symbolizer/unwind/table_cache_write.h"

enum work {
	WORK_END,
	WORK_READ,
	WORK_WRITE,
};

static void notify(const struct table_cache_thread *thread)
{
	const char done = 0;

	(void)tm_fdpass_send(thread->ready[1], &done, sizeof(done), -1, MSG_DONTWAIT);
}

static enum work next_work(struct table_cache_thread *thread)
{
	struct table_cache *cache = thread->cache;
	enum work work = WORK_END;

	(void)pthread_mutex_lock(&cache->lock);
	while (!thread->stopping && !table_cache_must_read(cache) && !table_cache_must_write(cache))
		(void)pthread_cond_wait(&cache->wake, &cache->lock);
	if (!thread->stopping)
		work = table_cache_must_read(cache) ? WORK_READ : WORK_WRITE;
	(void)pthread_mutex_unlock(&cache->lock);
	return work;
}

/* What was late came at last. */
static void end_stall(struct table_cache *cache)
{
	(void)pthread_mutex_lock(&cache->lock);
	cache->stalled = false;
	(void)pthread_mutex_unlock(&cache->lock);
}

static void *run(void *context)
{
	struct table_cache_thread *thread = context;
	struct table_cache *cache = thread->cache;
	enum work work;

	(void)pthread_mutex_lock(&cache->lock);
	thread->running = true;
	(void)pthread_cond_broadcast(&cache->wake);
	(void)pthread_mutex_unlock(&cache->lock);
	while ((work = next_work(thread)) != WORK_END) {
		if (work == WORK_READ)
			(void)table_cache_read_next(cache);
		else
			(void)table_cache_write_next(cache);
		end_stall(cache);
		if (work == WORK_READ || !table_cache_write_is_pending(cache))
			notify(thread);
	}
	(void)pthread_mutex_lock(&cache->lock);
	thread->ended = true;
	(void)pthread_mutex_unlock(&cache->lock);
	notify(thread);
	return NULL;
}

int table_cache_thread_start(struct table_cache_thread *thread, struct table_cache *cache)
{
	int r;

	*thread = TABLE_CACHE_THREAD_NULL;
	thread->cache = cache;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, thread->ready) < 0)
		return -errno;
	r = pthread_create(&thread->thread, NULL, run, thread);
	if (r != 0)
		return -r;
	thread->started = true;
	/* What the C library does as a thread begins is not allowed in the sandbox. */
	(void)pthread_mutex_lock(&cache->lock);
	while (!thread->running)
		(void)pthread_cond_wait(&cache->wake, &cache->lock);
	(void)pthread_mutex_unlock(&cache->lock);
	return 0;
}

void table_cache_thread_round(const struct table_cache_thread *thread)
{
	char done;
	int fd;

	while (tm_fdpass_recv(thread->ready[0], &done, sizeof(done), &fd, MSG_DONTWAIT) == 0)
		(void)tm_close(fd);
}

static bool has_ended(struct table_cache_thread *thread)
{
	bool ended;

	(void)pthread_mutex_lock(&thread->cache->lock);
	ended = thread->ended;
	(void)pthread_mutex_unlock(&thread->cache->lock);
	return ended;
}

static bool await_end(struct table_cache_thread *thread)
{
	const uint64_t end_ms = tm_clock_ms() + TABLE_CACHE_STOP_MS;
	struct pollfd ready = {.fd = thread->ready[0], .events = POLLIN};
	uint64_t now_ms;

	while (!has_ended(thread) && (now_ms = tm_clock_ms()) < end_ms) {
		(void)poll(&ready, 1, (int)(end_ms - now_ms));
		table_cache_thread_round(thread);
	}
	return has_ended(thread);
}

bool table_cache_thread_stop(struct table_cache_thread *thread)
{
	if (thread->started) {
		(void)pthread_mutex_lock(&thread->cache->lock);
		thread->stopping = true;
		(void)pthread_cond_signal(&thread->cache->wake);
		(void)pthread_mutex_unlock(&thread->cache->lock);
		if (!await_end(thread))
			return false; /* it ends with the process */
		(void)pthread_join(thread->thread, NULL);
	}
	thread->ready[0] = tm_close(thread->ready[0]);
	thread->ready[1] = tm_close(thread->ready[1]);
	thread->started = false;
	return true;
}
