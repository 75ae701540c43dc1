/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_fetches - gets the symbols of debug files that this host lacks from debuginfod servers
 */

#include "symbolizer/names/debug_fetches.h"

#include <string.h>

#include "shared/cleanup.h"

static void end(struct debug_fetches_slot *slot)
{
	slot->fd = tm_close(slot->fd);
	slot->stage = DEBUG_FETCHES_FREE;
}

/* --- what came -------------------------------------------------------------------------------- */

static bool is_right(const struct debug_fetches_item *item, const struct symbol_table *table)
{
	const struct parser_symbol_table *header = table->header;

	return (header->flags & PARSER_SYMBOLS_HAS_SYMTAB) &&
	       header->build_id_bytes == item->build_id_bytes &&
	       memcmp(header->build_id, item->build_id, item->build_id_bytes) == 0;
}

/* @at: the slot that asked. */
static void on_parsed(void *context, uint32_t at, struct parser_client_answer *answer)
{
	struct debug_fetches *fetches = context;
	struct debug_fetches_slot *slot = &fetches->slots[at];
	const struct debug_fetches_item *item = &slot->item;
	struct symbol_table table = SYMBOL_TABLE_NULL;
	bool opened = false;

	end(slot);
	if (answer->failure < TM_PARSE_N)
		return; /* it is fetched once more when it is looked for again */
	if (answer->fd >= 0)
		opened = symbol_table_open(&table, TM_TAKE_FD(answer->fd)) == 0;
	if (!opened || !is_right(item, &table)) {
		debuginfod_client_refuse(fetches->client, item->build_id, item->build_id_bytes);
		symbol_table_close(&table);
		return;
	}
	/* It is missing, and asked for again if debug_files looks for it just now. */
	(void)symbol_debug_is_due(fetches->store, &item->identity, INT64_MAX);
	fetches->used += symbol_debug_put(fetches->store, &item->identity, &table);
}

static void parse(struct debug_fetches *fetches, struct debug_fetches_slot *slot)
{
	const struct parser_client_request request = {
		.kind = PARSER_SYMBOLS,
		.target = slot->fd,
		.value = (uint32_t)(slot - fetches->slots),
		.context = fetches,
		.fn = on_parsed,
	};

	slot->stage = DEBUG_FETCHES_PARSING;
	if (parser_client_ask(fetches->parser, &request))
		slot->stage = DEBUG_FETCHES_TO_PARSE;
}

/* --- what is asked for ------------------------------------------------------------------------ */

/* @at: the slot that asked. */
static void on_fetched(void *context, uint32_t at, int fd)
{
	struct debug_fetches *fetches = context;
	struct debug_fetches_slot *slot = &fetches->slots[at];

	slot->fd = fd;
	slot->stage = fd < 0 ? DEBUG_FETCHES_FREE : DEBUG_FETCHES_TO_PARSE;
}

/* Asks for files of the queue until one is not answered at once. */
static void ask(struct debug_fetches *fetches, struct debug_fetches_slot *slot)
{
	while (slot->stage == DEBUG_FETCHES_FREE && fetches->head != fetches->tail) {
		const struct debug_fetches_item *item =
			&fetches->queue[fetches->head % DEBUG_FETCHES_QUEUE];
		int r = debuginfod_client_ask(fetches->client, item->build_id, item->build_id_bytes,
					      on_fetched, fetches,
					      (uint32_t)(slot - fetches->slots));

		if (r == DEBUGINFOD_CLIENT_E_BUSY)
			return;
		if (r == 0) {
			slot->stage = DEBUG_FETCHES_ASKED;
			slot->item = *item;
		}
		fetches->head++;
	}
}

void debug_fetches_add(struct debug_fetches *fetches, const struct tm_identity *identity,
		       const struct symbol_debug_links *links)
{
	struct debug_fetches_item *item = &fetches->queue[fetches->tail % DEBUG_FETCHES_QUEUE];

	if (fetches->client->socket < 0 || !links->build_id_bytes ||
	    fetches->tail - fetches->head == DEBUG_FETCHES_QUEUE)
		return;
	item->identity = *identity;
	item->build_id_bytes = links->build_id_bytes;
	memcpy(item->build_id, links->build_id, sizeof(item->build_id));
	fetches->tail++;
}

void debug_fetches_round(struct debug_fetches *fetches)
{
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++) {
		struct debug_fetches_slot *slot = &fetches->slots[i];

		if (slot->stage == DEBUG_FETCHES_TO_PARSE && fetches->parser->socket < 0)
			end(slot);
		else if (slot->stage == DEBUG_FETCHES_TO_PARSE &&
			 parser_client_is_ready(fetches->parser))
			parse(fetches, slot);
		ask(fetches, slot);
	}
}

void debug_fetches_init(struct debug_fetches *fetches, struct symbol_store *store,
			struct parser_client *parser, struct debuginfod_client *client)
{
	memset(fetches, 0, sizeof(*fetches)); /* too large for a compound literal */
	fetches->store = store;
	fetches->parser = parser;
	fetches->client = client;
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		fetches->slots[i].fd = -1;
}

void debug_fetches_deinit(struct debug_fetches *fetches)
{
	if (!fetches->client)
		return;
	debuginfod_client_cancel(fetches->client, fetches);
	parser_client_cancel(fetches->parser, fetches);
	for (unsigned i = 0; i < DEBUGINFOD_AT_ONCE; i++)
		end(&fetches->slots[i]);
}
