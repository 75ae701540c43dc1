/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser_slot - one open request to the parser: its descriptors, and the memory of its worker
 */

#include "symbolizer/base/parser_slot.h"

#include <fcntl.h>

#include "shared/cleanup.h"

static uint64_t first_bytes(enum parser_kind kind)
{
	switch (kind) {
	case PARSER_LINES:
		return PARSER_SLOT_LINES_BYTES;
	case PARSER_DEMANGLE:
		return PARSER_SLOT_DEMANGLE_BYTES;
	default:
		return PARSER_SLOT_FIRST_BYTES;
	}
}

/* A small budget is for several requests. */
static int charge(struct parser_slot *slot, struct budget *memory)
{
	const uint64_t share = memory->limit / PARSER_AT_ONCE;
	uint64_t most = first_bytes(slot->request.kind);

	most = most < share ? most : share;
	most = most > PARSER_SLOT_LEAST_BYTES ? most : PARSER_SLOT_LEAST_BYTES;
	return budget_take_some(memory, PARSER_SLOT_LEAST_BYTES, most, &slot->memory)
		       ? PARSER_SLOT_E_MEMORY
		       : 0;
}

static int copy_descriptor(int *fd)
{
	const int from = *fd;

	*fd = from < 0 ? -1 : fcntl(from, F_DUPFD_CLOEXEC, 0);
	return from >= 0 && *fd < 0 ? PARSER_SLOT_E_DESCRIPTORS : 0;
}

static int copy_descriptors(struct parser_client_request *request)
{
	int r = copy_descriptor(&request->target);

	for (unsigned i = 0; i < PARSER_PARTS_MAX; i++) {
		if (r || i >= request->part_count)
			request->parts[i] = -1;
		else
			r = copy_descriptor(&request->parts[i]);
	}
	return r;
}

int parser_slot_take(struct parser_slot *slot, const struct parser_client_request *request,
		     struct budget *memory)
{
	int r;

	*slot = (struct parser_slot){.used = true, .request = *request};
	if (request->identity)
		slot->identity = *request->identity;
	slot->compares = request->identity && request->target >= 0;
	slot->request.identity = NULL;
	r = copy_descriptors(&slot->request);
	if (!r)
		r = charge(slot, memory);
	if (r)
		parser_slot_free(slot, memory);
	return r;
}

int parser_slot_grow(struct parser_slot *slot, struct budget *memory)
{
	const uint64_t rest = PARSER_MEMORY_MOST - slot->memory;
	const uint64_t wanted = slot->memory * (PARSER_SLOT_GROWTH - 1);
	const uint64_t left = budget_left(memory);
	const uint64_t others = left < PARSER_SLOT_OTHERS_BYTES ? left : PARSER_SLOT_OTHERS_BYTES;
	uint64_t most = wanted < rest ? wanted : rest, more;
	const uint64_t least = slot->memory / 2 < most ? slot->memory / 2 : most;

	most = most < left - others ? most : left - others;
	if (!rest || most < least || budget_take_some(memory, least, most, &more))
		return PARSER_SLOT_E_MEMORY;
	slot->memory += more;
	return 0;
}

void parser_slot_close(struct parser_slot *slot)
{
	slot->fn = NULL;
	slot->compares = false;
	slot->request.target = tm_close(slot->request.target);
	for (unsigned i = 0; i < PARSER_PARTS_MAX; i++)
		slot->request.parts[i] = tm_close(slot->request.parts[i]);
}

void parser_slot_free(struct parser_slot *slot, struct budget *memory)
{
	if (!slot->used)
		return;
	parser_slot_close(slot);
	budget_give(memory, slot->memory);
	*slot = (struct parser_slot){0};
}
