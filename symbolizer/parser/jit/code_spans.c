/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_spans - which codes lay at each address, one after the other
 */

#include "symbolizer/parser/jit/code_spans.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"

struct edge { /* where a code begins or ends */
	uint64_t address;
	uint32_t code;
	bool ends;
};

struct sweep {
	struct code_spans *spans;
	struct edge *edges; /* owned, as is the next one */
	uint32_t *active;   /* codes at the address, in the order of their times */
	uint32_t active_count;
};

static int by_from(const void *left, const void *right)
{
	const struct parser_code *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Codes that begin or end together move none of the others in `active`. */
static int by_address(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;
	int order = (a->code > b->code) - (a->code < b->code);

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->ends != b->ends)
		return a->ends ? -1 : 1;
	return a->ends ? -order : order;
}

/* Return: 0, PARSER_FAILED. */
static int take_codes(struct sweep *sweep, const struct code_list *list)
{
	struct code_spans *spans = sweep->spans;

	spans->codes = calloc(list->count + 1ull, sizeof(*spans->codes));
	sweep->edges = calloc(2ull * list->count + 1, sizeof(*sweep->edges));
	sweep->active = calloc(list->count + 1ull, sizeof(*sweep->active));
	if (!spans->codes || !sweep->edges || !sweep->active)
		return PARSER_FAILED;
	for (uint32_t i = 0; i < list->count; i++)
		spans->codes[i] = list->records[i].code;
	spans->code_count = list->count;
	if (list->count)
		qsort(spans->codes, list->count, sizeof(*spans->codes), by_from);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct parser_code *code = &spans->codes[i];

		sweep->edges[2 * i] = (struct edge){code->start, i, false};
		sweep->edges[2 * i + 1] = (struct edge){code->start + code->bytes, i, true};
	}
	if (list->count)
		qsort(sweep->edges, 2ull * list->count, sizeof(*sweep->edges), by_address);
	return 0;
}

/* Adds or removes a code; they stay in the order of their times, which is that of their indices. */
static void toggle(struct sweep *sweep, const struct edge *edge)
{
	uint32_t *active = sweep->active;
	uint32_t low = 0, high = sweep->active_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (active[middle] >= edge->code)
			high = middle;
		else
			low = middle + 1;
	}
	if (edge->ends) {
		sweep->active_count--;
		memmove(active + low, active + low + 1,
			(sweep->active_count - low) * sizeof(*active));
		return;
	}
	memmove(active + low + 1, active + low, (sweep->active_count - low) * sizeof(*active));
	active[low] = edge->code;
	sweep->active_count++;
}

/* Return: 0, also where a limit is met; PARSER_FAILED. */
static int emit(struct sweep *sweep, uint64_t start, uint64_t end)
{
	struct code_spans *spans = sweep->spans;
	void *grown;

	if (spans->count == PARSER_CODE_SPANS_MAX ||
	    sweep->active_count > PARSER_CODE_VERSIONS_MAX - spans->version_count) {
		spans->flags |= PARSER_CODES_TRUNCATED;
		return 0;
	}
	grown = grow(spans->spans, spans->count, &spans->capacity, sizeof(*spans->spans));
	if (!grown)
		return PARSER_FAILED;
	spans->spans = grown;
	spans->spans[spans->count++] =
		(struct parser_code_span){start, (uint32_t)(end - start), spans->version_count};
	for (uint32_t i = 0; i < sweep->active_count; i++) {
		grown = grow(spans->versions, spans->version_count, &spans->version_capacity,
			     sizeof(*spans->versions));
		if (!grown)
			return PARSER_FAILED;
		spans->versions = grown;
		spans->versions[spans->version_count++] = sweep->active[i];
	}
	return 0;
}

int code_spans_make(struct code_spans *spans, const struct code_list *list)
{
	struct sweep sweep = {.spans = spans};
	const uint32_t count = 2 * list->count;
	int r = take_codes(&sweep, list);

	for (uint32_t i = 0; !r && i < count && !(spans->flags & PARSER_CODES_TRUNCATED); i++) {
		toggle(&sweep, &sweep.edges[i]);
		if (sweep.active_count && sweep.edges[i + 1].address > sweep.edges[i].address)
			r = emit(&sweep, sweep.edges[i].address, sweep.edges[i + 1].address);
	}
	free(sweep.edges);
	free(sweep.active);
	return r;
}

void code_spans_free(struct code_spans *spans)
{
	free(spans->spans);
	free(spans->versions);
	free(spans->codes);
	*spans = (struct code_spans){0};
}
