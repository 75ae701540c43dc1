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

static struct rows_slot *find_slot(struct rows *rows, enum rows_state state)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == state)
			return &rows->slots[i];
	return NULL;
}

/* Takes @table; -1: there is none. */
static void make(struct rows *rows, struct rows_slot *slot, int table)
{
	slot->state = ROWS_MADE;
	slot->table = table;
	rows->counts.made += table >= 0;
	rows->counts.failed += table < 0;
}

/* Return: 0, TM_FDPASS_E_AGAIN. */
static int hand_on(struct rows *rows, struct rows_slot *slot)
{
	struct tm_wire message = {
		.kind = TM_WIRE_ROWS, .number = slot->number, .value = slot->value};
	int table = slot->table >= 0 ? slot->table : rows->empty;

	if (slot->number != TM_TABLE_VDSO &&
	    !files_rows_stand(rows->files, slot->number, slot->value)) {
		rows->counts.dropped++;
	} else if (rows->wire >= 0) {
		int r = tm_fdpass_send(rows->wire, &message, sizeof(message), table, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN || r == -ETOOMANYREFS)
			return TM_FDPASS_E_AGAIN;
		if (r)
			rows->wire = -1;
	}
	slot->table = tm_close(slot->table);
	slot->state = ROWS_FREE;
	return 0;
}

static void hand_all_on(struct rows *rows)
{
	struct rows_slot *slot;

	while ((slot = find_slot(rows, ROWS_MADE)) && !hand_on(rows, slot))
		;
}

/* What the parser made of a file, if it checks: handed on, then kept. Takes @fd; -1: nothing. */
static void take_table(struct rows *rows, struct rows_slot *slot, int fd)
{
	_cleanup_(tm_closep) int taken = fd;
	const struct tm_identity identity = slot->identity;
	const int keep = slot->keep;
	struct tm_region region = TM_REGION_NULL;
	struct tm_rows_view view;

	if (taken < 0 || tm_region_open_blob(&region, taken, TM_ROWS_BYTES_MAX) < 0) {
		make(rows, slot, -1);
		return;
	}
	region.fd = -1; /* the descriptor goes its own way */
	if (tm_rows_check(&view, region.addr, region.bytes) < 0) {
		make(rows, slot, -1);
	} else {
		make(rows, slot, TM_TAKE_FD(taken));
		hand_all_on(rows);
		if (keep)
			cache_add(rows->cache, &identity, region.addr, region.bytes);
	}
	tm_region_close(&region);
}

/* Return: 0, or < 0 when the parser is no longer to be talked to. Takes @fd. */
static int take_result(struct rows *rows, const struct parser_message *result, int fd)
{
	_cleanup_(tm_closep) int taken = fd;

	if (result->kind != PARSER_RESULT || result->status >= PARSER_STATUS_N ||
	    (result->status == PARSER_OK) != (taken >= 0))
		return -EBADMSG;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++) {
		struct rows_slot *slot = &rows->slots[i];

		if (slot->state != ROWS_ASKED || slot->id != result->id)
			continue;
		rows->counts.abandoned += result->status == PARSER_ABANDONED;
		take_table(rows, slot, TM_TAKE_FD(taken));
		return 0;
	}
	return -EBADMSG;
}

static void receive(struct rows *rows)
{
	while (find_slot(rows, ROWS_ASKED)) {
		struct parser_message result;
		int fd = -1;
		int r = tm_fdpass_recv(rows->parser, &result, sizeof(result), &fd, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			break;
		if (r || take_result(rows, &result, fd) < 0)
			rows_lose_parser(rows);
	}
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == ROWS_ASKED &&
		    (int64_t)tm_clock_ms() > rows->slots[i].deadline_ms)
			rows_lose_parser(rows);
}

static int next_wanted(struct rows *rows, struct files_rows *ret_wanted)
{
	if (!rows->vdso_wanted)
		return files_rows_next(rows->files, ret_wanted);
	rows->vdso_wanted = 0;
	*ret_wanted = (struct files_rows){.number = TM_TABLE_VDSO, .fd = -1};
	return 0;
}

/* What the cache has, or would have once it is made. Return: whether it was there. */
static int recall(struct rows *rows, struct rows_slot *slot, const struct files_rows *wanted)
{
	int table;

	if (!wanted->identity)
		return 0;
	table = cache_find(rows->cache, wanted->identity);
	if (table >= 0) {
		rows->counts.cached++;
		make(rows, slot, table);
		return 1;
	}
	slot->identity = *wanted->identity;
	slot->keep = wanted->fd >= 0 && cache_may_keep(wanted->identity, wanted->fd);
	return 0;
}

static void ask(struct rows *rows, struct rows_slot *slot, const struct files_rows *wanted)
{
	struct parser_message request = {.kind = PARSER_ROWS, .id = rows->next_id++ | ROWS_ID};

	*slot = (struct rows_slot){
		.value = wanted->value,
		.deadline_ms = (int64_t)tm_clock_ms() + PARSER_DEADLINE_MS + NAMES_GRACE_MS,
		.state = ROWS_ASKED,
		.number = wanted->number,
		.id = request.id,
		.table = -1,
	};
	if (recall(rows, slot, wanted))
		return;
	if (rows->parser < 0 || (wanted->number != TM_TABLE_VDSO && wanted->fd < 0))
		make(rows, slot, -1);
	else if (tm_fdpass_send(rows->parser, &request, sizeof(request), wanted->fd, MSG_DONTWAIT))
		rows_lose_parser(rows); /* two small messages always find room */
}

/* Return: whether anything was asked. */
static int ask_wanted(struct rows *rows)
{
	struct rows_slot *slot;
	struct files_rows wanted;
	int any = 0;

	while ((slot = find_slot(rows, ROWS_FREE)) && !next_wanted(rows, &wanted)) {
		ask(rows, slot, &wanted);
		any = 1;
	}
	return any;
}

int rows_init(struct rows *rows, struct files *files, struct cache *cache, int wire)
{
	const struct tm_rows empty = {.magic = TM_ROWS_MAGIC};

	*rows = (struct rows){
		.files = files, .cache = cache, .wire = wire, .parser = -1, .empty = -1};
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		rows->slots[i].table = -1;
	rows->empty = tm_region_seal_blob("tidemark-rows", &empty, sizeof(empty));
	return rows->empty < 0 ? rows->empty : 0;
}

void rows_deinit(struct rows *rows)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		rows->slots[i].table = tm_close(rows->slots[i].table);
	rows->empty = tm_close(rows->empty);
}

void rows_begin(struct rows *rows, int parser)
{
	rows->parser = parser;
	rows->vdso_wanted = 1;
}

void rows_round(struct rows *rows)
{
	receive(rows);
	do
		hand_all_on(rows);
	while (ask_wanted(rows));
}

int rows_are_asked(const struct rows *rows)
{
	int asked = 0;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		asked += rows->slots[i].state == ROWS_ASKED;
	return asked;
}

int rows_are_made(const struct rows *rows)
{
	int made = 0;

	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		made += rows->slots[i].state == ROWS_MADE;
	return made;
}

void rows_settle(struct rows *rows, int control, int last)
{
	int64_t end = (int64_t)tm_clock_ms() + ROWS_FIRST_MS;

	while (rows_are_asked(rows)) {
		struct pollfd ready[2] = {
			{.fd = rows->parser, .events = POLLIN},
			{.fd = control, .events = POLLRDHUP},
		};
		int r = poll(ready, 2, ROWS_FIRST_MS);

		if ((r < 0 && errno != EINTR) || (r > 0 && ready[1].revents)) {
			rows_lose_parser(rows);
			break;
		}
		receive(rows);
		hand_all_on(rows);
		if (!last && (int64_t)tm_clock_ms() < end)
			(void)ask_wanted(rows);
	}
}

void rows_lose_parser(struct rows *rows)
{
	rows->parser = -1;
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (rows->slots[i].state == ROWS_ASKED)
			make(rows, &rows->slots[i], -1);
}
