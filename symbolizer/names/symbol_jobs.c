/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_jobs - gets each file's symbol table from the parser, once, into the symbol store
 */

#include "symbolizer/names/symbol_jobs.h"

#include <string.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "symbolizer/base/file_identity.h"
#include "symbolizer/profile/file_queue.h"

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

/* The one that was begun first. */
static struct symbol_jobs_slot *find_slot(struct symbol_jobs *jobs, enum symbol_jobs_state state)
{
	struct symbol_jobs_slot *first = NULL;

	for (unsigned i = 0; i < SYMBOL_JOBS_SLOTS; i++) {
		struct symbol_jobs_slot *slot = &jobs->slots[i];

		if (slot->state == state && (!first || slot->order < first->order))
			first = slot;
	}
	return first;
}

/* --- answers ---------------------------------------------------------------------------------- */

static enum tm_unnamed reason_of(uint32_t status)
{
	switch (status) {
	case PARSER_NOT_ELF:
		return TM_UNNAMED_NOT_ELF;
	case PARSER_TOO_LARGE:
		return TM_UNNAMED_TOO_LARGE;
	default:
		return TM_UNNAMED_MALFORMED;
	}
}

/* The file that was asked for, while its place still stands for it; NULL: not any more. */
static struct file *asked_file(const struct symbol_jobs *jobs, const struct symbol_jobs_slot *slot)
{
	struct file *file;

	if (slot->file == SYMBOL_JOBS_VDSO || slot->file >= jobs->files->count)
		return NULL;
	file = &jobs->files->items[slot->file];
	if (file->symbols != FILE_SYMBOLS_TAKEN ||
	    memcmp(&file->identity, &slot->identity, sizeof(file->identity)) != 0)
		return NULL;
	return file;
}

/* The collector is asked for the file once more; where it changed, that gets it another number. */
static void request_again(const struct symbol_jobs *jobs, const struct file *file)
{
	uint32_t index = (uint32_t)(file - jobs->files->items), number;
	uint64_t value;

	/* Where it is not sent, the next report that misses the table tries again. */
	if (file_queue_ask_again(jobs->files, index, jobs->wire, &number, &value) != 0)
		symbol_store_give_up(jobs->store, &file->identity);
}

/* It names nothing, for good. @file: NULL: its place stands for another one by now. */
static void refuse_changed(const struct symbol_jobs *jobs, const struct tm_identity *identity,
			   const struct file *file)
{
	symbol_store_refuse(jobs->store, identity, TM_UNNAMED_CHANGED);
	if (file)
		request_again(jobs, file);
}

/* The store has its answer. @file: NULL: as above. */
static void end_slot(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot,
		     const struct file *file)
{
	slot->state = SYMBOL_JOBS_FREE;
	if (jobs->debug)
		debug_files_add(jobs->debug, file ? slot->file : FILES_NONE, &slot->identity);
	if (file)
		file_queue_add_symbols(jobs->files, slot->file);
	jobs->vdso_wanted |= slot->file == SYMBOL_JOBS_VDSO; /* in case it failed */
}

/* The parser's table, for the next session. @fd: stays the caller's. */
static void keep(const struct symbol_jobs *jobs, const struct symbol_jobs_slot *slot, int fd)
{
	const struct table_cache_key key =
		table_cache_key(jobs->cache, TABLE_CACHE_SYMBOLS, &slot->identity);
	struct tm_region region = TM_REGION_NULL;

	if (!jobs->cache || slot->file == SYMBOL_JOBS_VDSO ||
	    tm_region_open_blob(&region, fd, TABLE_CACHE_TABLE_BYTES) < 0)
		return;
	region.fd = -1; /* the mapping alone is the region's */
	table_cache_add(jobs->cache, &key, &region);
}

/* Takes @fd. */
static void take_table(const struct symbol_jobs *jobs, const struct symbol_jobs_slot *slot, int fd)
{
	keep(jobs, slot, fd);
	symbol_store_put(jobs->store, &slot->identity, fd, now_ms());
}

/* What the cache did not have, or not in time, the parser is asked for. */
static void take_recalled(struct symbol_jobs *jobs)
{
	for (unsigned i = 0; i < SYMBOL_JOBS_SLOTS; i++) {
		struct symbol_jobs_slot *slot = &jobs->slots[i];
		int table;

		if (slot->state != SYMBOL_JOBS_RECALLED ||
		    table_cache_answer(jobs->cache, slot->recalled, &table))
			continue;
		slot->state = SYMBOL_JOBS_WANTED;
		if (table < 0)
			continue;
		jobs->cached++;
		symbol_store_put(jobs->store, &slot->identity, table, now_ms());
		end_slot(jobs, slot, asked_file(jobs, slot));
	}
}

/* @at: the slot that asked. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct symbol_jobs *jobs = context;
	struct symbol_jobs_slot *slot = &jobs->slots[at];
	const struct file *file = asked_file(jobs, slot);

	if (answer->failure == TM_PARSE_CHANGED)
		refuse_changed(jobs, &slot->identity, file);
	else if (answer->failure < TM_PARSE_N)
		symbol_store_fail(jobs->store, &slot->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	else if (answer->fd < 0)
		symbol_store_refuse(jobs->store, &slot->identity, reason_of(answer->status));
	else
		take_table(jobs, slot, TM_TAKE_FD(answer->fd));
	end_slot(jobs, slot, file);
}

/* --- requests --------------------------------------------------------------------------------- */

/* @r: why the parser could not be asked. */
static void fail_to_ask(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot, int r)
{
	slot->state = SYMBOL_JOBS_FREE;
	parser_client_count(jobs->parser, parser_client_failure(r));
	if (r == PARSER_CLIENT_E_CHANGED)
		refuse_changed(jobs, &slot->identity, &jobs->files->items[slot->file]);
	else
		symbol_store_fail(jobs->store, &slot->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	if (slot->file == SYMBOL_JOBS_VDSO)
		jobs->vdso_wanted = true;
	else if (r == PARSER_CLIENT_E_QUARANTINED) /* its descriptor is not held for so long */
		file_queue_end_symbols(jobs->files, slot->file);
	else
		file_queue_add_symbols(jobs->files, slot->file);
}

/* It ended while it waited, so that its descriptor is closed. @file: NULL: it is forgotten. */
static void end_without_file(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot,
			     const struct file *file)
{
	slot->state = SYMBOL_JOBS_FREE;
	symbol_store_fail(jobs->store, &slot->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	if (file)
		file_queue_end_symbols(jobs->files, slot->file);
}

static void ask(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot)
{
	const struct file *file = asked_file(jobs, slot);
	const struct parser_client_request request = {
		.kind = PARSER_SYMBOLS,
		.target = file ? file->fd : -1,
		.identity = &slot->identity,
		.value = (uint32_t)(slot - jobs->slots),
		.context = jobs,
		.fn = on_answer,
	};
	int r;

	if (slot->file != SYMBOL_JOBS_VDSO && request.target < 0) {
		end_without_file(jobs, slot, file);
		return;
	}
	slot->state = SYMBOL_JOBS_ASKED;
	r = parser_client_ask(jobs->parser, &request);
	if (r)
		fail_to_ask(jobs, slot, r);
}

static void begin(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot, uint32_t file,
		  const struct tm_identity *identity)
{
	const struct table_cache_key key =
		table_cache_key(jobs->cache, TABLE_CACHE_SYMBOLS, identity);

	*slot = (struct symbol_jobs_slot){.state = SYMBOL_JOBS_WANTED,
					  .file = file,
					  .order = jobs->next_order++,
					  .identity = *identity};
	if (jobs->cache && file != SYMBOL_JOBS_VDSO &&
	    table_cache_ask(jobs->cache, &key, &slot->recalled) == 0)
		slot->state = SYMBOL_JOBS_RECALLED;
}

static void begin_vdso(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	int r = symbol_store_begin(jobs->store, &vdso, now_ms());

	jobs->vdso_wanted = r == SYMBOL_STORE_E_LATER;
	if (r == 0)
		begin(jobs, slot, SYMBOL_JOBS_VDSO, &vdso);
}

/* Whether the descriptor of a file that failed may wait for the next attempt. */
static bool may_hold(const struct file *file)
{
	return file->numbers && file_identity_is_linked(file->fd);
}

/* @index: taken out of the queue. */
static void advance(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot, uint32_t index)
{
	const struct file *file = &jobs->files->items[index];
	int r = SYMBOL_STORE_E_SETTLED;

	if (jitdumps_take(jobs->jit, jobs->files, index)) {
		file_queue_end_symbols(jobs->files, index);
		return;
	}
	if (file->fd >= 0)
		r = symbol_store_begin(jobs->store, &file->identity, now_ms());
	else
		symbol_store_give_up(jobs->store, &file->identity);
	if (r == SYMBOL_STORE_E_LATER && may_hold(file)) {
		file_queue_add_symbols(jobs->files, index);
		return;
	}
	if (r == 0)
		begin(jobs, slot, index, &file->identity);
	else
		file_queue_end_symbols(jobs->files, index);
}

/* What reports missed. A file whose descriptor is still there needs no collector. */
static void request_missed(struct symbol_jobs *jobs)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	struct tm_identity identity;
	uint32_t index;

	while (symbol_store_next_again(jobs->store, &identity) == 0) {
		index = files_of_identity(jobs->files, &identity);
		if (jobs->jit && jit_files_again(jobs->jit, &identity))
			continue;
		if (memcmp(&identity, &vdso, sizeof(vdso)) == 0)
			jobs->vdso_wanted = true;
		else if (index == FILES_NONE)
			symbol_store_give_up(jobs->store, &identity);
		else if (jobs->files->items[index].symbols == FILE_SYMBOLS_IDLE)
			request_again(jobs, &jobs->files->items[index]);
	}
}

void symbol_jobs_init(struct symbol_jobs *jobs, struct files *files, struct symbol_store *store,
		      struct parser_client *parser, int wire)
{
	*jobs = (struct symbol_jobs){
		.files = files,
		.store = store,
		.parser = parser,
		.wire = wire,
		.vdso_wanted = true,
	};
}

void symbol_jobs_deinit(struct symbol_jobs *jobs)
{
	if (jobs->parser)
		parser_client_cancel(jobs->parser, jobs);
	for (unsigned i = 0; i < SYMBOL_JOBS_SLOTS; i++)
		if (jobs->slots[i].state == SYMBOL_JOBS_RECALLED)
			table_cache_forget(jobs->cache, jobs->slots[i].recalled);
}

/* Without a parser everything that is wanted has failed for now: no report waits for it. */
static bool can_ask(const struct symbol_jobs *jobs)
{
	return jobs->parser->socket < 0 || parser_client_is_ready(jobs->parser);
}

static uint32_t count_taken(const struct symbol_jobs *jobs)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < SYMBOL_JOBS_SLOTS; i++)
		count += jobs->slots[i].state == SYMBOL_JOBS_RECALLED ||
			 jobs->slots[i].state == SYMBOL_JOBS_WANTED;
	return count;
}

void symbol_jobs_round(struct symbol_jobs *jobs, bool tables_first)
{
	struct symbol_jobs_slot *slot = find_slot(jobs, SYMBOL_JOBS_FREE);
	uint32_t count;

	request_missed(jobs);
	take_recalled(jobs);
	count = jobs->files->symbols_count;
	if (tables_first && file_queue_has_tables(jobs->files))
		return;
	if (jobs->vdso_wanted && slot && can_ask(jobs))
		begin_vdso(jobs, slot);
	while (count-- && (slot = find_slot(jobs, SYMBOL_JOBS_FREE)))
		advance(jobs, slot, file_queue_next_symbols(jobs->files));
	while (can_ask(jobs) && (slot = find_slot(jobs, SYMBOL_JOBS_WANTED)))
		ask(jobs, slot);
	jobs->files->symbols_taken = count_taken(jobs);
}
