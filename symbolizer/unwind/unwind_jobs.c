/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_jobs - the way of each file's rows: asked of the parser, checked, handed to the collector
 */

#include "symbolizer/unwind/unwind_jobs.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/unwind_map.h"
#include "symbolizer/names/name_table.h"

static struct unwind_jobs_slot *find_slot(struct unwind_jobs *rows, enum unwind_jobs_state state)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == state)
			return &rows->slots[i];
	return NULL;
}

/* Takes @table; -1: the file has no unwind information, which is final. */
static void make(struct unwind_jobs *rows, struct unwind_jobs_slot *slot, int table)
{
	slot->state = UNWIND_JOBS_MADE;
	slot->table = table;
	rows->counts.made += table >= 0;
	rows->counts.empty += table < 0;
}

/* There is no table now; later there may be one. */
static void fail(struct unwind_jobs *rows, struct unwind_jobs_slot *slot,
		 enum tm_parse_failure reason)
{
	rows->counts.failures[reason]++;
	slot->state = UNWIND_JOBS_MADE;
	slot->failed = true;
	if (slot->number != TM_UNWIND_MAP_VDSO)
		return;
	slot->state = UNWIND_JOBS_FREE;
	rows->vdso_wanted = 1;
	rows->vdso_ms = (int64_t)tm_clock_ms() + rows->vdso_pause_ms;
	if (rows->vdso_pause_ms < UNWIND_JOBS_VDSO_PAUSE_MAX)
		rows->vdso_pause_ms *= 2;
}

static int send_answer(const struct unwind_jobs *rows, const struct unwind_jobs_slot *slot)
{
	const struct tm_wire message = {
		.kind = slot->failed ? TM_WIRE_UNWIND_FAILED : TM_WIRE_UNWIND_TABLE,
		.number = slot->number,
		.value = slot->value,
	};
	int table = slot->table >= 0 ? slot->table : rows->empty;

	return tm_fdpass_send(rows->wire, &message, sizeof(message), slot->failed ? -1 : table,
			      MSG_DONTWAIT);
}

/* Return: 0, TM_FDPASS_E_AGAIN. */
static int hand_on(struct unwind_jobs *rows, struct unwind_jobs_slot *slot)
{
	if (slot->number != TM_UNWIND_MAP_VDSO &&
	    !unwind_queue_stand(rows->files, slot->number, slot->value)) {
		rows->counts.dropped++;
	} else if (rows->wire >= 0) {
		int r = send_answer(rows, slot);

		if (r == TM_FDPASS_E_AGAIN || r == -ETOOMANYREFS)
			return TM_FDPASS_E_AGAIN;
		if (r)
			rows->wire = -1;
	}
	slot->table = tm_close(slot->table);
	slot->state = UNWIND_JOBS_FREE;
	return 0;
}

static void hand_all_on(struct unwind_jobs *rows)
{
	struct unwind_jobs_slot *slot;

	while ((slot = find_slot(rows, UNWIND_JOBS_MADE)) && !hand_on(rows, slot))
		;
}

/* What the parser made of a file, if it checks: handed on, then kept. Takes @fd; -1: nothing. */
static void take_table(struct unwind_jobs *rows, struct unwind_jobs_slot *slot, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	const struct tm_identity identity = slot->identity;
	const int keep = slot->keep;
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;

	if (taken < 0 || tm_region_open_blob(&region, taken, TM_UNWIND_TABLE_BYTES_MAX) < 0) {
		make(rows, slot, -1);
		return;
	}
	region.fd = -1; /* the descriptor goes its own way */
	if (tm_unwind_table_check(&view, region.addr, region.bytes) < 0) {
		make(rows, slot, -1);
	} else {
		make(rows, slot, TM_TAKE_FD(taken));
		hand_all_on(rows);
		if (keep)
			table_cache_add(rows->cache, &identity, region.addr, region.bytes);
	}
	tm_region_close(&region);
}

/* Why nothing is known of the file; TM_PARSE_N: the answer is final. */
static enum tm_parse_failure failure_of(uint32_t status)
{
	switch (status) {
	case PARSER_CHANGED:
		return TM_PARSE_CHANGED;
	case PARSER_FAILED:
		return TM_PARSE_RESOURCES;
	case PARSER_CRASHED:
		return TM_PARSE_CRASHED;
	case PARSER_TIMEOUT:
	case PARSER_ABANDONED:
		return TM_PARSE_DEADLINE;
	case PARSER_REFUSED:
		return TM_PARSE_REFUSED;
	default:
		return TM_PARSE_N;
	}
}

/* Return: 0, or < 0 when the parser is no longer to be talked to. Takes @fd. */
static int take_result(struct unwind_jobs *rows, const struct parser_message *result, int fd)
{
	_cleanup_(tm_closep) int taken = fd;

	if (result->kind != PARSER_RESULT || result->status >= PARSER_STATUS_N ||
	    (result->status == PARSER_OK) != (taken >= 0))
		return -EBADMSG;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		struct unwind_jobs_slot *slot = &rows->slots[i];

		if (slot->state != UNWIND_JOBS_ASKED || slot->id != result->id)
			continue;
		if (failure_of(result->status) < TM_PARSE_N)
			fail(rows, slot, failure_of(result->status));
		else
			take_table(rows, slot, TM_TAKE_FD(taken));
		return 0;
	}
	return -EBADMSG;
}

static void receive(struct unwind_jobs *rows)
{
	while (find_slot(rows, UNWIND_JOBS_ASKED)) {
		struct parser_message result;
		int fd = -1;
		int r = tm_fdpass_recv(rows->parser, &result, sizeof(result), &fd, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			break;
		if (r || take_result(rows, &result, fd) < 0)
			unwind_jobs_lose_parser(rows);
	}
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == UNWIND_JOBS_ASKED &&
		    (int64_t)tm_clock_ms() > rows->slots[i].deadline_ms)
			unwind_jobs_lose_parser(rows);
}

static int next_wanted(struct unwind_jobs *rows, struct unwind_queue *ret_wanted)
{
	if (!rows->vdso_wanted || (int64_t)tm_clock_ms() < rows->vdso_ms)
		return unwind_queue_next(rows->files, ret_wanted);
	rows->vdso_wanted = 0;
	*ret_wanted = (struct unwind_queue){.number = TM_UNWIND_MAP_VDSO, .fd = -1};
	return 0;
}

/* What the cache has, or would have once it is made. Return: whether it was there. */
static int recall(struct unwind_jobs *rows, struct unwind_jobs_slot *slot,
		  const struct unwind_queue *wanted)
{
	int table;

	if (!wanted->identity)
		return 0;
	table = table_cache_find(rows->cache, wanted->identity);
	if (table >= 0) {
		rows->counts.cached++;
		make(rows, slot, table);
		return 1;
	}
	slot->identity = *wanted->identity;
	slot->keep = wanted->fd >= 0 && table_cache_may_keep(wanted->identity, wanted->fd);
	return 0;
}

static void ask(struct unwind_jobs *rows, struct unwind_jobs_slot *slot,
		const struct unwind_queue *wanted)
{
	struct parser_message request = {.kind = PARSER_ROWS,
					 .id = rows->next_id++ | UNWIND_JOBS_ID};

	*slot = (struct unwind_jobs_slot){
		.value = wanted->value,
		.deadline_ms = (int64_t)tm_clock_ms() + PARSER_DEADLINE_MS + NAME_TABLE_GRACE_MS,
		.state = UNWIND_JOBS_ASKED,
		.number = wanted->number,
		.id = request.id,
		.table = -1,
	};
	if (recall(rows, slot, wanted))
		return;
	if (rows->parser < 0)
		fail(rows, slot, TM_PARSE_NO_PARSER);
	else if (wanted->number != TM_UNWIND_MAP_VDSO && wanted->fd < 0)
		fail(rows, slot, TM_PARSE_NO_FILE);
	else if (tm_fdpass_send(rows->parser, &request, sizeof(request), wanted->fd, MSG_DONTWAIT))
		unwind_jobs_lose_parser(rows); /* two small messages always find room */
}

/* Return: whether anything was asked. */
static int ask_wanted(struct unwind_jobs *rows)
{
	struct unwind_jobs_slot *slot;
	struct unwind_queue wanted;
	int any = 0;

	while ((slot = find_slot(rows, UNWIND_JOBS_FREE)) && !next_wanted(rows, &wanted)) {
		ask(rows, slot, &wanted);
		any = 1;
	}
	return any;
}

int unwind_jobs_init(struct unwind_jobs *rows, struct files *files, struct table_cache *cache,
		     int wire)
{
	const struct tm_unwind_table empty = {.magic = TM_UNWIND_TABLE_MAGIC};

	*rows = (struct unwind_jobs){
		.files = files, .cache = cache, .wire = wire, .parser = -1, .empty = -1};
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		rows->slots[i].table = -1;
	rows->empty = tm_region_seal_blob("tidemark-rows", &empty, sizeof(empty));
	return rows->empty < 0 ? rows->empty : 0;
}

void unwind_jobs_deinit(struct unwind_jobs *rows)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		rows->slots[i].table = tm_close(rows->slots[i].table);
	rows->empty = tm_close(rows->empty);
}

void unwind_jobs_begin(struct unwind_jobs *rows, int parser)
{
	rows->parser = parser;
	rows->vdso_wanted = 1;
	rows->vdso_pause_ms = UNWIND_JOBS_VDSO_PAUSE_MS;
}

void unwind_jobs_round(struct unwind_jobs *rows)
{
	receive(rows);
	do
		hand_all_on(rows);
	while (ask_wanted(rows));
}

int unwind_jobs_are_asked(const struct unwind_jobs *rows)
{
	int asked = 0;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		asked += rows->slots[i].state == UNWIND_JOBS_ASKED;
	return asked;
}

int unwind_jobs_are_made(const struct unwind_jobs *rows)
{
	int made = 0;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		made += rows->slots[i].state == UNWIND_JOBS_MADE;
	return made;
}

void unwind_jobs_settle(struct unwind_jobs *rows, int control, int last)
{
	int64_t end = (int64_t)tm_clock_ms() + UNWIND_JOBS_FIRST_MS;

	while (unwind_jobs_are_asked(rows)) {
		struct pollfd ready[2] = {
			{.fd = rows->parser, .events = POLLIN},
			{.fd = control, .events = POLLRDHUP},
		};
		int r = poll(ready, 2, UNWIND_JOBS_FIRST_MS);

		if ((r < 0 && errno != EINTR) || (r > 0 && ready[1].revents)) {
			unwind_jobs_lose_parser(rows);
			break;
		}
		receive(rows);
		hand_all_on(rows);
		if (!last && (int64_t)tm_clock_ms() < end)
			(void)ask_wanted(rows);
	}
}

void unwind_jobs_lose_parser(struct unwind_jobs *rows)
{
	rows->parser = -1;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == UNWIND_JOBS_ASKED)
			fail(rows, &rows->slots[i], TM_PARSE_NO_PARSER);
}
