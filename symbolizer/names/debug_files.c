/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_files - gets separate debug files from the collector, for symbols and for lines
 */

#include "symbolizer/names/debug_files.h"

#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "symbolizer/profile/file_queue.h"

static int64_t now_ms(void)
{
	return (int64_t)tm_clock_ms();
}

/* --- one file --------------------------------------------------------------------------------- */

static bool names_it(const struct debug_files_slot *slot, enum tm_debug_form form)
{
	const struct symbol_debug_links *links = &slot->links;
	bool own = slot->kind == DEBUG_FILES_OWN;

	switch (form) {
	case TM_DEBUG_BUILD_ID:
		return (own ? links->build_id_bytes : links->alt_build_id_bytes) >= TM_BUILD_ID_MIN;
	case TM_DEBUG_LINK:
		return own && *links->link;
	case TM_DEBUG_ALT:
		return !own && *links->alt;
	}
	return false;
}

/* No report waits any longer, but a server may have it. */
static void end_symbols(struct debug_files *debug, const struct debug_files_slot *ended)
{
	symbol_debug_end(debug->store, &ended->item.identity, now_ms());
	if (debug->fetches)
		debug_fetches_add(debug->fetches, &ended->item.identity, &ended->links);
}

static void finish(struct debug_files *debug, struct debug_files_slot *slot, int fd,
		   enum tm_no_file reason)
{
	const struct debug_files_slot ended = *slot;

	slot->stage = DEBUG_FILES_FREE;
	slot->fd = -1;
	debug->missing += fd < 0;
	if (!ended.for_lines)
		end_symbols(debug, &ended);
	else if (debug->fn)
		debug->fn(debug->context, ended.item.file, ended.kind, fd, reason);
	else
		(void)tm_close(fd);
}

/* What the file names next is asked for; if that was all, there is none. */
static void ask_next(struct debug_files *debug, struct debug_files_slot *slot,
		     enum tm_no_file reason)
{
	slot->fd = tm_close(slot->fd);
	slot->stage = DEBUG_FILES_TO_SEND;
	while (slot->form < TM_DEBUG_ALT)
		if (names_it(slot, ++slot->form))
			return;
	finish(debug, slot, -1, reason);
}

static void set_text(struct tm_wire *message, const void *text, size_t bytes)
{
	message->text_bytes = (uint16_t)bytes;
	memcpy(message->text, text, bytes);
}

static void send_request(struct debug_files *debug, struct debug_files_slot *slot)
{
	const struct symbol_debug_links *links = &slot->links;
	struct tm_wire message = {
		.kind = TM_WIRE_DEBUG_FILE,
		.number = slot->number,
		.value = slot->value,
		.request = debug->next_request,
		.form = (uint16_t)slot->form,
	};

	if (slot->form == TM_DEBUG_LINK)
		set_text(&message, links->link, strlen(links->link));
	else if (slot->form == TM_DEBUG_ALT)
		set_text(&message, links->alt, strlen(links->alt));
	else if (slot->kind == DEBUG_FILES_OWN)
		set_text(&message, links->build_id, links->build_id_bytes);
	else
		set_text(&message, links->alt_build_id, links->alt_build_id_bytes);
	if (tm_fdpass_send(debug->wire, &message, sizeof(message), -1, MSG_DONTWAIT))
		return; /* the next round tries again */
	slot->request = debug->next_request++;
	slot->stage = DEBUG_FILES_SENT;
}

/* --- the symbols of a debug file -------------------------------------------------------------- */

/* Whether what was read is the debug file of the sampled file, and has its symbols. */
static bool is_right(const struct debug_files_slot *slot, const struct symbol_table *table)
{
	const struct parser_symbol_table *header = table->header;
	const struct symbol_debug_links *links = &slot->links;
	bool same = header->build_id_bytes == links->build_id_bytes &&
		    memcmp(header->build_id, links->build_id, links->build_id_bytes) == 0;

	if (!(header->flags & PARSER_SYMBOLS_HAS_SYMTAB))
		return false;
	if (slot->form == TM_DEBUG_BUILD_ID)
		return same;
	return header->has_crc && header->crc == links->link_crc &&
	       (same || !links->build_id_bytes || !header->build_id_bytes);
}

/* @at: the slot that asked. */
static void on_answer(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct debug_files *debug = context;
	struct debug_files_slot *slot = &debug->slots[at];
	struct symbol_table table = SYMBOL_TABLE_NULL;

	if (answer->failure < TM_PARSE_N || answer->fd < 0 ||
	    symbol_table_open(&table, TM_TAKE_FD(answer->fd)) < 0 || !is_right(slot, &table)) {
		debug->refused++;
		symbol_table_close(&table);
		ask_next(debug, slot, TM_NO_FILE_OTHER);
		return;
	}
	slot->fd = tm_close(slot->fd);
	if (symbol_debug_put(debug->store, &slot->item.identity, &table)) {
		slot->stage = DEBUG_FILES_FREE;
		debug->found++;
	} else {
		finish(debug, slot, -1, TM_NO_FILE_ERROR);
	}
}

static void parse(struct debug_files *debug, struct debug_files_slot *slot)
{
	const struct parser_client_request request = {
		.kind = PARSER_SYMBOLS,
		.target = slot->fd,
		.count = slot->form == TM_DEBUG_LINK, /* with its CRC */
		.value = (uint32_t)(slot - debug->slots),
		.context = debug,
		.fn = on_answer,
	};

	slot->stage = DEBUG_FILES_PARSING;
	if (parser_client_ask(debug->parser, &request))
		slot->stage = DEBUG_FILES_TO_PARSE;
}

/* --- all files -------------------------------------------------------------------------------- */

static struct debug_files_slot *free_slot(struct debug_files *debug)
{
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		if (debug->slots[i].stage == DEBUG_FILES_FREE)
			return &debug->slots[i];
	return NULL;
}

/* Return: 0; DEBUG_FILES_E_NONE: the file names no debug file, or cannot be asked for. */
static int start(struct debug_files *debug, struct debug_files_slot *slot,
		 const struct debug_files_item *item, enum debug_files_kind kind, bool for_lines)
{
	const struct file *file = &debug->files->items[item->file];

	*slot = (struct debug_files_slot){
		.item = *item, .kind = kind, .for_lines = for_lines, .fd = -1};
	if (item->file >= debug->files->count || !file->used || !file->numbers || !file->opened ||
	    memcmp(&file->identity, &item->identity, sizeof(item->identity)) != 0 ||
	    symbol_debug_links(debug->store, &item->identity, &slot->links))
		return DEBUG_FILES_E_NONE;
	slot->number = file->number;
	slot->value = file_queue_last_value(debug->files, file->number);
	while (slot->form < TM_DEBUG_ALT)
		if (names_it(slot, ++slot->form)) {
			slot->stage = DEBUG_FILES_TO_SEND;
			return 0;
		}
	return DEBUG_FILES_E_NONE;
}

static void start_queued(struct debug_files *debug)
{
	struct debug_files_slot *slot;

	while (debug->head != debug->tail && (slot = free_slot(debug))) {
		const struct debug_files_item item =
			debug->queue[debug->head++ % DEBUG_FILES_QUEUE];

		if (start(debug, slot, &item, DEBUG_FILES_OWN, /* for_lines= */ false))
			symbol_debug_end(debug->store, &item.identity, now_ms());
	}
}

static void put_in_queue(struct debug_files *debug, uint32_t file,
			 const struct tm_identity *identity)
{
	if (file == FILES_NONE || debug->tail - debug->head == DEBUG_FILES_QUEUE)
		symbol_debug_end(debug->store, identity, now_ms());
	else
		debug->queue[debug->tail++ % DEBUG_FILES_QUEUE] =
			(struct debug_files_item){file, *identity};
}

void debug_files_add(struct debug_files *debug, uint32_t file, const struct tm_identity *identity)
{
	if (debug->enabled && symbol_debug_is_wanted(debug->store, identity))
		put_in_queue(debug, file, identity);
}

/* Whether something has named it since about the last attempt. */
static bool is_in_use(const struct file *file)
{
	uint64_t ms = tm_clock_ms();

	return file->used && file->identified && file->numbers && file->opened &&
	       ms < file->seen_ktime / 1000000 + 2ull * SYMBOL_DEBUG_PAUSE_MS;
}

static void add_due(struct debug_files *debug)
{
	const int64_t now = now_ms();

	if (now < debug->scanned_ms + DEBUG_FILES_SCAN_MS)
		return;
	debug->scanned_ms = now;
	for (uint32_t i = 0; i < debug->files->count; i++) {
		const struct file *file = &debug->files->items[i];

		if (debug->tail - debug->head == DEBUG_FILES_QUEUE)
			return;
		if (is_in_use(file) && symbol_debug_is_due(debug->store, &file->identity, now))
			put_in_queue(debug, i, &file->identity);
	}
}

/* The collector answers nothing any more: what waits for it is not there. */
static void end_all(struct debug_files *debug)
{
	for (; debug->head != debug->tail; debug->head++)
		symbol_debug_end(debug->store,
				 &debug->queue[debug->head % DEBUG_FILES_QUEUE].identity,
				 INT64_MAX);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++) {
		struct debug_files_slot *slot = &debug->slots[i];

		if (slot->stage == DEBUG_FILES_TO_SEND || slot->stage == DEBUG_FILES_SENT)
			finish(debug, slot, -1, TM_NO_FILE_UNANSWERED);
	}
}

void debug_files_round(struct debug_files *debug, bool serves)
{
	if (!debug->enabled)
		return;
	if (serves)
		add_due(debug);
	else
		end_all(debug);
	start_queued(debug);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++) {
		struct debug_files_slot *slot = &debug->slots[i];

		if (slot->stage == DEBUG_FILES_TO_SEND)
			send_request(debug, slot);
		else if (slot->stage == DEBUG_FILES_TO_PARSE && debug->parser->socket < 0)
			finish(debug, slot, tm_close(slot->fd), TM_NO_FILE_ERROR);
		else if (slot->stage == DEBUG_FILES_TO_PARSE &&
			 parser_client_is_ready(debug->parser))
			parse(debug, slot);
	}
}

void debug_files_opened(struct debug_files *debug, const struct tm_wire *message, int fd)
{
	_cleanup_(tm_closep) int owned = fd;
	enum tm_no_file reason = message->form < TM_NO_FILE_N ? message->form : TM_NO_FILE_ERROR;

	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++) {
		struct debug_files_slot *slot = &debug->slots[i];

		if (slot->stage != DEBUG_FILES_SENT || slot->request != message->request)
			continue;
		if (owned < 0) {
			ask_next(debug, slot, reason);
		} else if (slot->for_lines) {
			finish(debug, slot, TM_TAKE_FD(owned), 0);
		} else {
			slot->fd = TM_TAKE_FD(owned);
			slot->stage = DEBUG_FILES_TO_PARSE;
		}
		return;
	}
}

void debug_files_init(struct debug_files *debug, struct files *files, struct symbol_store *store,
		      struct parser_client *parser, int wire, bool enabled)
{
	*debug = (struct debug_files){
		.files = files,
		.store = store,
		.parser = parser,
		.wire = wire,
		.enabled = enabled,
	};
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		debug->slots[i].fd = -1;
	if (enabled)
		symbol_debug_enable(store);
}

void debug_files_deinit(struct debug_files *debug)
{
	if (!debug->parser)
		return;
	parser_client_cancel(debug->parser, debug);
	for (unsigned i = 0; i < TM_PATHS_IN_FLIGHT; i++)
		debug->slots[i].fd = tm_close(debug->slots[i].fd);
}

void debug_files_listen(struct debug_files *debug, debug_files_fn fn, void *context)
{
	debug->fn = fn;
	debug->context = context;
}

int debug_files_request(struct debug_files *debug, uint32_t file, enum debug_files_kind kind)
{
	struct debug_files_slot *slot = free_slot(debug);
	struct debug_files_item item = {.file = file};

	if (!debug->enabled || file >= debug->files->count || !debug->files->items[file].identified)
		return DEBUG_FILES_E_NONE;
	if (!slot)
		return DEBUG_FILES_E_LATER;
	item.identity = debug->files->items[file].identity;
	return start(debug, slot, &item, kind, /* for_lines= */ true);
}
