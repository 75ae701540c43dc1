/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_spans - which codes lay at each address, one after the other
 */

#include "symbolizer/parser/jit/code_spans.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"

#define LEVELS 4 /* of words of 64 bits, so that the last one is a single word */
_Static_assert(PARSER_CODES_MAX < 1ull << 6 * LEVELS, "each code has its bit");
_Static_assert(PARSER_CODE_VERSIONS_MAX >= 2 * PARSER_CODE_SPANS_MAX,
	       "cut, a span has two versions, so that it does not look as if never replaced");

struct edge { /* where a code begins or ends */
	uint64_t address;
	uint32_t code;
	bool ends;
};

struct sweep {
	struct code_spans *spans;
	struct edge *edges;       /* owned, as is active[0] */
	uint64_t *active[LEVELS]; /* a bit for each code at the address; for each word of those */
	size_t active_words;      /* of all levels */
	uint32_t active_count;
	uint32_t most; /* versions of one span */
};

/* --- the codes at one address ----------------------------------------------------------------- */

/* Return: 0, PARSER_FAILED. */
static int make_active(struct sweep *sweep, uint32_t count)
{
	size_t first[LEVELS], words = 0;

	for (unsigned level = 0; level < LEVELS; level++) {
		first[level] = words;
		words += (count >> 6 * (level + 1)) + 1;
	}
	sweep->active_words = words;
	sweep->active[0] = calloc(words, sizeof(uint64_t));
	if (!sweep->active[0])
		return PARSER_FAILED;
	for (unsigned level = 1; level < LEVELS; level++)
		sweep->active[level] = sweep->active[0] + first[level];
	return 0;
}

static void toggle(struct sweep *sweep, const struct edge *edge)
{
	uint32_t at = edge->code;

	sweep->active_count = edge->ends ? sweep->active_count - 1 : sweep->active_count + 1;
	for (unsigned level = 0; level < LEVELS; level++, at >>= 6) {
		uint64_t *word = &sweep->active[level][at >> 6], bit = 1ull << (at & 63);

		*word = edge->ends ? *word & ~bit : *word | bit;
		if (*word && edge->ends)
			break;
	}
}

static uint32_t last_bit(uint64_t word)
{
	return 63 - (uint32_t)__builtin_clzll(word);
}

/* Return: the last code at the address before @code; one must be there. */
static uint32_t active_before(const struct sweep *sweep, uint32_t code)
{
	unsigned level = 0;
	uint64_t word;

	while (!(word = sweep->active[level][code >> 6] & ((1ull << (code & 63)) - 1))) {
		code >>= 6;
		level++;
	}
	code = (code & ~63u) | last_bit(word);
	while (level--)
		code = code << 6 | last_bit(sweep->active[level][code]);
	return code;
}

/* --- the spans -------------------------------------------------------------------------------- */

static int by_from(const void *left, const void *right)
{
	const struct parser_code *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static int by_address(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Return: 0, PARSER_FAILED. */
static int take_codes(struct sweep *sweep, const struct code_list *list)
{
	struct code_spans *spans = sweep->spans;

	spans->codes = calloc(list->count + 1ull, sizeof(*spans->codes));
	sweep->edges = calloc(2ull * list->count + 1, sizeof(*sweep->edges));
	if (!spans->codes || !sweep->edges || make_active(sweep, list->count))
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

/* The span has the last codes. Return: 0, also where a limit is met; PARSER_FAILED. */
static int emit(struct sweep *sweep, uint64_t start, uint64_t end)
{
	struct code_spans *spans = sweep->spans;
	uint32_t kept = sweep->active_count < sweep->most ? sweep->active_count : sweep->most;
	uint32_t code = spans->code_count;
	void *grown = grow(spans->spans, spans->count, &spans->capacity, sizeof(*spans->spans));

	if (kept > PARSER_CODE_VERSIONS_MAX - spans->version_count) {
		spans->flags |= PARSER_CODES_TRUNCATED;
		return 0;
	}
	if (!grown)
		return PARSER_FAILED;
	spans->spans = grown;
	spans->spans[spans->count++] =
		(struct parser_code_span){start, (uint32_t)(end - start), spans->version_count};
	for (uint32_t i = 0; i < kept; i++) {
		grown = grow(spans->versions, spans->version_count, &spans->version_capacity,
			     sizeof(*spans->versions));
		if (!grown)
			return PARSER_FAILED;
		spans->versions = grown;
		spans->version_count++;
	}
	for (uint32_t i = 1; i <= kept; i++) {
		code = active_before(sweep, code);
		spans->versions[spans->version_count - i] = code;
	}
	return 0;
}

static int emit_all(struct sweep *sweep, uint32_t most)
{
	struct code_spans *spans = sweep->spans;
	int r = 0;

	spans->count = spans->version_count = 0;
	memset(sweep->active[0], 0, sweep->active_words * sizeof(uint64_t));
	sweep->active_count = 0;
	sweep->most = most;
	for (uint32_t i = 0; !r && i < 2 * spans->code_count; i++) {
		toggle(sweep, &sweep->edges[i]);
		if (sweep->active_count && sweep->edges[i + 1].address > sweep->edges[i].address)
			r = emit(sweep, sweep->edges[i].address, sweep->edges[i + 1].address);
		if (most == UINT32_MAX && spans->flags)
			break;
	}
	return r;
}

int code_spans_make(struct code_spans *spans, const struct code_list *list)
{
	struct sweep sweep = {.spans = spans};
	int r = take_codes(&sweep, list);

	if (!r)
		r = emit_all(&sweep, UINT32_MAX);
	if (!r && spans->flags & PARSER_CODES_TRUNCATED)
		r = emit_all(&sweep, PARSER_CODE_VERSIONS_MAX / (2 * list->count));
	free(sweep.edges);
	free(sweep.active[0]);
	return r;
}

void code_spans_free(struct code_spans *spans)
{
	free(spans->spans);
	free(spans->versions);
	free(spans->codes);
	*spans = (struct code_spans){0};
}
