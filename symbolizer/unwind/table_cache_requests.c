/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_cache_requests - what the reader of the samples asks the cache for, and never waits for
 */

#include "symbolizer/unwind/table_cache_requests.h"

#include "shared/cleanup.h"
#include "shared/clock.h"

static void lock(struct table_cache *cache)
{
	(void)pthread_mutex_lock(&cache->lock);
}

static void unlock(struct table_cache *cache)
{
	(void)pthread_mutex_unlock(&cache->lock);
}

static struct table_cache_request *free_request(struct table_cache *cache)
{
	for (uint32_t i = 0; i < TABLE_CACHE_REQUESTS; i++)
		if (cache->requests[i].state == TABLE_CACHE_REQUEST_FREE)
			return &cache->requests[i];
	return NULL;
}

/* While the index is not known yet, every table may be there. */
static bool may_have(const struct table_cache *cache, const struct table_cache_key *key)
{
	if (cache->fd < 0 || cache->failed || cache->stalled)
		return false;
	return cache->start == TABLE_CACHE_UNREAD || table_cache_has(cache, key);
}

static int ask(struct table_cache *cache, const struct table_cache_key *key, bool ahead,
	       uint32_t *ret_request)
{
	struct table_cache_request *request = NULL;

	lock(cache);
	if (may_have(cache, key))
		request = free_request(cache);
	if (request) {
		*request = (struct table_cache_request){
			.state = TABLE_CACHE_REQUEST_WANTED,
			.ahead = ahead,
			.key = *key,
			.order = cache->next_order++,
			.end_ms = tm_clock_ms() + TABLE_CACHE_WAIT_MS,
			.fd = -1,
		};
		*ret_request = (uint32_t)(request - cache->requests);
		(void)pthread_cond_signal(&cache->wake);
	}
	unlock(cache);
	return request ? 0 : TABLE_CACHE_E_NONE;
}

int table_cache_ask(struct table_cache *cache, const struct table_cache_key *key,
		    uint32_t *ret_request)
{
	return ask(cache, key, /* ahead= */ false, ret_request);
}

int table_cache_ask_ahead(struct table_cache *cache, const struct table_cache_key *key,
			  uint32_t *ret_request)
{
	return ask(cache, key, /* ahead= */ true, ret_request);
}

/* Nobody waits for it any more. Under the lock. */
static void leave(struct table_cache_request *request)
{
	request->fd = tm_close(request->fd);
	request->state = request->state == TABLE_CACHE_REQUEST_READING ? TABLE_CACHE_REQUEST_LEFT
								       : TABLE_CACHE_REQUEST_FREE;
}

int table_cache_answer(struct table_cache *cache, uint32_t number, int *ret_fd)
{
	struct table_cache_request *request = &cache->requests[number];
	int r = 0;

	*ret_fd = -1;
	lock(cache);
	if (request->state == TABLE_CACHE_REQUEST_ANSWERED) {
		*ret_fd = TM_TAKE_FD(request->fd);
		leave(request);
	} else if (tm_clock_ms() >= request->end_ms) {
		leave(request);
		cache->stalled = true;
		cache->counts.late++;
	} else {
		r = TABLE_CACHE_E_LATER;
	}
	unlock(cache);
	return r;
}

void table_cache_forget(struct table_cache *cache, uint32_t number)
{
	lock(cache);
	leave(&cache->requests[number]);
	unlock(cache);
}

/* The one to be read next; NULL: there is none. */
static const struct table_cache_request *next_request(const struct table_cache *cache)
{
	const struct table_cache_request *next = NULL;

	for (uint32_t i = 0; i < TABLE_CACHE_REQUESTS; i++) {
		const struct table_cache_request *request = &cache->requests[i];

		if (request->state != TABLE_CACHE_REQUEST_WANTED)
			continue;
		if (!next || request->key.kind < next->key.kind ||
		    (request->key.kind == next->key.kind && request->order < next->order))
			next = request;
	}
	return next;
}

bool table_cache_must_read(const struct table_cache *cache)
{
	return cache->start != TABLE_CACHE_UNREAD && next_request(cache);
}

bool table_cache_read_next(struct table_cache *cache)
{
	const struct table_cache_request *next;
	struct table_cache_request *request;
	struct table_cache_key key;
	bool ahead;
	int fd;

	lock(cache);
	next = next_request(cache);
	if (!next) {
		unlock(cache);
		return false;
	}
	request = &cache->requests[next - cache->requests];
	request->state = TABLE_CACHE_REQUEST_READING;
	key = request->key;
	ahead = request->ahead;
	unlock(cache);
	fd = ahead ? table_cache_find_ahead(cache, &key) : table_cache_find(cache, &key);
	lock(cache);
	if (request->state == TABLE_CACHE_REQUEST_READING) {
		request->state = TABLE_CACHE_REQUEST_ANSWERED;
		request->fd = TM_TAKE_FD(fd);
	} else {
		request->state = TABLE_CACHE_REQUEST_FREE;
	}
	unlock(cache);
	(void)tm_close(fd);
	return true;
}
