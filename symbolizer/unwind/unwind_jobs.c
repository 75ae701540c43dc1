/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_jobs - gets each file's unwind table from the parser, checks it and sends it
 */

#include "symbolizer/unwind/unwind_jobs.h"

#include <errno.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/event_check_ring.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/unwind_map.h"

/* The one that was begun first. */
static struct unwind_jobs_slot *find_slot(struct unwind_jobs *jobs, enum unwind_jobs_state state)
{
	struct unwind_jobs_slot *first = NULL;

	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++) {
		struct unwind_jobs_slot *slot = &jobs->slots[i];

		if (slot->state == state && (!first || slot->order < first->order))
			first = slot;
	}
	return first;
}

static unsigned count_slots(const struct unwind_jobs *jobs, enum unwind_jobs_state state)
{
	unsigned count = 0;

	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++)
		count += jobs->slots[i].state == state;
	return count;
}

/* Takes @table; -1: the file has no unwind information, which is final. */
static void make(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot, int table)
{
	slot->state = UNWIND_JOBS_MADE;
	slot->table = table;
	jobs->counts.made += table >= 0;
	jobs->counts.empty += table < 0;
}

/* There is no table now; later there may be one. */
static void fail(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot)
{
	slot->state = UNWIND_JOBS_MADE;
	slot->failed = true;
	if (slot->number != TM_UNWIND_MAP_VDSO)
		return;
	slot->state = UNWIND_JOBS_FREE;
	jobs->vdso_wanted = true;
	jobs->vdso_ms = (int64_t)tm_clock_ms() + jobs->vdso_pause_ms;
	if (jobs->vdso_pause_ms < UNWIND_JOBS_VDSO_PAUSE_MAX)
		jobs->vdso_pause_ms *= 2;
}

static int send_message(const struct unwind_jobs *jobs, const struct unwind_jobs_slot *slot)
{
	const struct tm_wire message = {
		.kind = slot->failed ? TM_WIRE_UNWIND_FAILED : TM_WIRE_UNWIND_TABLE,
		.number = slot->number,
		.value = slot->value,
	};
	int table = slot->table >= 0 ? slot->table : jobs->empty;

	return tm_fdpass_send(jobs->wire, &message, sizeof(message), slot->failed ? -1 : table,
			      MSG_DONTWAIT);
}

/* Return: 0, TM_FDPASS_E_AGAIN. */
static int send_one(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot)
{
	if (slot->number != TM_UNWIND_MAP_VDSO &&
	    !file_queue_is_current(jobs->files, slot->number, slot->value)) {
		jobs->counts.dropped++;
	} else if (jobs->wire >= 0) {
		int r = send_message(jobs, slot);

		if (r == TM_FDPASS_E_AGAIN)
			return TM_FDPASS_E_AGAIN;
		if (r)
			jobs->wire = -1;
	}
	slot->table = tm_close(slot->table);
	slot->state = UNWIND_JOBS_FREE;
	return 0;
}

static void send_all(struct unwind_jobs *jobs)
{
	struct unwind_jobs_slot *slot;

	while ((slot = find_slot(jobs, UNWIND_JOBS_MADE)) && send_one(jobs, slot) == 0)
		;
}

/* The parser's result, if it checks: sent, then kept. Takes @fd; -1: the parser found nothing. */
static void take_table(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	const struct table_cache_key key =
		table_cache_key(jobs->cache, TABLE_CACHE_UNWIND, &slot->identity);
	const bool keep = slot->keep;
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;

	if (taken < 0 || tm_region_open_blob(&region, taken, TM_UNWIND_TABLE_BYTES_MAX) < 0) {
		make(jobs, slot, -1);
		return;
	}
	region.fd = -1; /* the mapping alone is the region's; the descriptor is sent */
	if (tm_unwind_table_check(&view, region.addr, region.bytes) < 0) {
		make(jobs, slot, -1);
	} else {
		make(jobs, slot, TM_TAKE_FD(taken));
		send_all(jobs);
		if (keep)
			table_cache_add(jobs->cache, &key, &region);
	}
	tm_region_close(&region);
}

/* @at: the slot that asked. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct unwind_jobs *jobs = context;

	if (answer->failure < TM_PARSE_N)
		fail(jobs, &jobs->slots[at]);
	else
		take_table(jobs, &jobs->slots[at], TM_TAKE_FD(answer->fd));
}

/* --- requests --- */

static int next_wanted(struct unwind_jobs *jobs, struct file_queue_item *ret_wanted)
{
	if (!jobs->vdso_wanted || (int64_t)tm_clock_ms() < jobs->vdso_ms)
		return file_queue_next(jobs->files, ret_wanted);
	jobs->vdso_wanted = false;
	*ret_wanted = (struct file_queue_item){.number = TM_UNWIND_MAP_VDSO, .fd = -1};
	return 0;
}

/* The one that waits for the parser under the same number. */
static struct unwind_jobs_slot *waiting_slot(struct unwind_jobs *jobs, uint32_t number)
{
	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++)
		if (jobs->slots[i].state == UNWIND_JOBS_WANTED && jobs->slots[i].number == number)
			return &jobs->slots[i];
	return NULL;
}

static void begin(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot,
		  const struct file_queue_item *wanted)
{
	struct unwind_jobs_slot *waiting = waiting_slot(jobs, wanted->number);
	struct table_cache_key key;

	if (waiting) {
		waiting->value = wanted->value;
		return;
	}
	*slot = (struct unwind_jobs_slot){
		.value = wanted->value,
		.order = jobs->next_order++,
		.state = UNWIND_JOBS_WANTED,
		.number = wanted->number,
		.table = -1,
	};
	if (!wanted->identity)
		return;
	key = table_cache_key(jobs->cache, TABLE_CACHE_UNWIND, wanted->identity);
	if (table_cache_ask(jobs->cache, &key, &slot->recalled) == 0)
		slot->state = UNWIND_JOBS_RECALLED;
}

/* Return: whether a number was removed from the queue. */
static bool begin_next(struct unwind_jobs *jobs)
{
	struct unwind_jobs_slot *slot = find_slot(jobs, UNWIND_JOBS_FREE);
	struct file_queue_item wanted;

	if (!slot || next_wanted(jobs, &wanted))
		return false;
	begin(jobs, slot, &wanted);
	return true;
}

/* What the cache did not have, or not in time, the parser is asked for. */
static void take_recalled(struct unwind_jobs *jobs)
{
	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++) {
		struct unwind_jobs_slot *slot = &jobs->slots[i];
		int table;

		if (slot->state != UNWIND_JOBS_RECALLED ||
		    table_cache_answer(jobs->cache, slot->recalled, &table))
			continue;
		slot->state = UNWIND_JOBS_WANTED;
		if (table < 0)
			continue;
		jobs->counts.cached++;
		make(jobs, slot, table);
	}
}

static void ask(struct unwind_jobs *jobs, struct unwind_jobs_slot *slot,
		const struct file_queue_item *wanted)
{
	const struct parser_client_request request = {
		.kind = PARSER_ROWS,
		.target = wanted->fd,
		.identity = wanted->identity,
		.value = (uint32_t)(slot - jobs->slots),
		.context = jobs,
		.fn = on_answer,
	};
	int r;

	if (wanted->identity && tm_identity_grows(wanted->identity)) {
		make(jobs, slot, -1); /* a jitdump: no code runs in it */
		return;
	}
	slot->state = UNWIND_JOBS_ASKED;
	slot->keep = wanted->identity && wanted->fd >= 0;
	if (slot->keep)
		slot->identity = *wanted->identity;
	if (wanted->number != TM_UNWIND_MAP_VDSO && wanted->fd < 0) {
		parser_client_count(jobs->parser, TM_PARSE_NO_FILE);
		fail(jobs, slot);
		return;
	}
	r = parser_client_ask(jobs->parser, &request);
	if (r == 0)
		return;
	parser_client_count(jobs->parser, parser_client_failure(r));
	fail(jobs, slot);
}

/* Return: whether one that waited for the parser waits no longer. */
static bool ask_next(struct unwind_jobs *jobs)
{
	struct unwind_jobs_slot *slot = find_slot(jobs, UNWIND_JOBS_WANTED);
	struct file_queue_item wanted = {.number = TM_UNWIND_MAP_VDSO, .fd = -1};

	if (!slot || unwind_jobs_must_send(jobs) || !parser_client_is_ready(jobs->parser))
		return false;
	if (slot->number != TM_UNWIND_MAP_VDSO &&
	    file_queue_find(jobs->files, slot->number, slot->value, &wanted))
		slot->state = UNWIND_JOBS_FREE;
	else
		ask(jobs, slot, &wanted);
	return true;
}

int unwind_jobs_init(struct unwind_jobs *jobs, struct files *files, struct table_cache *cache,
		     struct parser_client *parser, int wire)
{
	const struct tm_unwind_table empty = {.magic = TM_UNWIND_TABLE_MAGIC};

	*jobs = (struct unwind_jobs){
		.files = files,
		.cache = cache,
		.parser = parser,
		.wire = wire,
		.empty = -1,
		.vdso_wanted = true,
		.vdso_pause_ms = UNWIND_JOBS_VDSO_PAUSE_MS,
	};
	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++)
		jobs->slots[i].table = -1;
	jobs->empty = tm_region_seal_blob("tidemark-rows", &empty, sizeof(empty));
	return jobs->empty < 0 ? jobs->empty : 0;
}

void unwind_jobs_deinit(struct unwind_jobs *jobs)
{
	if (jobs->parser)
		parser_client_cancel(jobs->parser, jobs);
	for (unsigned i = 0; i < UNWIND_JOBS_SLOTS; i++) {
		if (jobs->slots[i].state == UNWIND_JOBS_RECALLED)
			table_cache_forget(jobs->cache, jobs->slots[i].recalled);
		jobs->slots[i].table = tm_close(jobs->slots[i].table);
	}
	jobs->empty = tm_close(jobs->empty);
}

void unwind_jobs_round(struct unwind_jobs *jobs)
{
	bool more = true;

	while (begin_next(jobs))
		;
	take_recalled(jobs);
	while (more) {
		send_all(jobs);
		more = begin_next(jobs);
		more |= ask_next(jobs);
	}
	jobs->files->tables_taken =
		count_slots(jobs, UNWIND_JOBS_RECALLED) + count_slots(jobs, UNWIND_JOBS_WANTED);
}

unsigned unwind_jobs_asked(const struct unwind_jobs *jobs)
{
	return count_slots(jobs, UNWIND_JOBS_ASKED);
}

bool unwind_jobs_must_send(const struct unwind_jobs *jobs)
{
	return count_slots(jobs, UNWIND_JOBS_MADE) > 0;
}
