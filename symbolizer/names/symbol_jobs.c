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

static struct symbol_jobs_slot *free_slot(struct symbol_jobs *jobs)
{
	for (unsigned i = 0; i < PARSER_AT_ONCE; i++)
		if (!jobs->slots[i].used)
			return &jobs->slots[i];
	return NULL;
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

/* @at: the slot that asked. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct symbol_jobs *jobs = context;
	struct symbol_jobs_slot *slot = &jobs->slots[at];
	const struct file *file = asked_file(jobs, slot);

	slot->used = false;
	if (answer->failure == TM_PARSE_CHANGED)
		refuse_changed(jobs, &slot->identity, file);
	else if (answer->failure < TM_PARSE_N)
		symbol_store_fail(jobs->store, &slot->identity, TM_UNNAMED_NOT_PARSED, now_ms());
	else if (answer->fd < 0)
		symbol_store_refuse(jobs->store, &slot->identity, reason_of(answer->status));
	else
		symbol_store_put(jobs->store, &slot->identity, TM_TAKE_FD(answer->fd), now_ms());
	if (jobs->debug)
		debug_files_add(jobs->debug, file ? slot->file : FILES_NONE, &slot->identity);
	if (file)
		file_queue_add_symbols(jobs->files, slot->file);
	jobs->vdso_wanted |= slot->file == SYMBOL_JOBS_VDSO; /* in case it failed */
}

/* --- requests --------------------------------------------------------------------------------- */

static void ask(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot, uint32_t file, int fd,
		const struct tm_identity *identity)
{
	const struct parser_client_request request = {
		.kind = PARSER_SYMBOLS,
		.target = fd,
		.identity = identity,
		.value = (uint32_t)(slot - jobs->slots),
		.context = jobs,
		.fn = on_answer,
	};
	int r;

	*slot = (struct symbol_jobs_slot){.used = true, .file = file, .identity = *identity};
	r = parser_client_ask(jobs->parser, &request);
	if (r == 0)
		return;
	slot->used = false;
	parser_client_count(jobs->parser, parser_client_failure(r));
	if (r == PARSER_CLIENT_E_CHANGED)
		refuse_changed(jobs, identity, &jobs->files->items[file]);
	else
		symbol_store_fail(jobs->store, identity, TM_UNNAMED_NOT_PARSED, now_ms());
	jobs->vdso_wanted |= file == SYMBOL_JOBS_VDSO;
	if (r == PARSER_CLIENT_E_QUARANTINED) /* its descriptor is not held for so long */
		file_queue_end_symbols(jobs->files, file);
	else if (file != SYMBOL_JOBS_VDSO)
		file_queue_add_symbols(jobs->files, file);
}

static void ask_vdso(struct symbol_jobs *jobs, struct symbol_jobs_slot *slot)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	int r = symbol_store_begin(jobs->store, &vdso, now_ms());

	jobs->vdso_wanted = r == SYMBOL_STORE_E_LATER;
	if (r == 0)
		ask(jobs, slot, SYMBOL_JOBS_VDSO, -1, &vdso);
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

	if (file->fd >= 0)
		r = symbol_store_begin(jobs->store, &file->identity, now_ms());
	else
		symbol_store_give_up(jobs->store, &file->identity);
	if (r == SYMBOL_STORE_E_LATER && may_hold(file)) {
		file_queue_add_symbols(jobs->files, index);
		return;
	}
	if (r == 0)
		ask(jobs, slot, index, file->fd, &file->identity);
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
}

/* Without a parser everything that is wanted has failed for now: no report waits for it. */
static bool can_advance(const struct symbol_jobs *jobs, const struct symbol_jobs_slot *slot)
{
	return slot && (jobs->parser->socket < 0 || parser_client_is_ready(jobs->parser));
}

void symbol_jobs_round(struct symbol_jobs *jobs, bool tables_first)
{
	uint32_t count = jobs->files->symbols_count;
	struct symbol_jobs_slot *slot = free_slot(jobs);

	request_missed(jobs);
	if (tables_first && jobs->files->table_first)
		return;
	if (jobs->vdso_wanted && can_advance(jobs, slot))
		ask_vdso(jobs, slot);
	while (count-- && can_advance(jobs, slot = free_slot(jobs)))
		advance(jobs, slot, file_queue_next_symbols(jobs->files));
}
