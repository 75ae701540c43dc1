/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_blob - writes the answer to PARSER_JITDUMP: codes, spans, versions, lines, names
 */

#include "symbolizer/parser/jit/code_blob.h"

#include <string.h>

#include "symbolizer/parser/jit/code_spans.h"

_Static_assert(sizeof(struct parser_code_table) % 8 == 0 && sizeof(struct parser_code) == 40 &&
		       sizeof(struct parser_code_span) == 16 &&
		       sizeof(struct parser_code_line) == 12,
	       "each part of the result is aligned");

static uint8_t *put(uint8_t *to, const void *from, uint64_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to + bytes;
}

static int write_parts(struct result_blob *result, const struct parser_code_table *header,
		       const struct code_spans *spans, const struct code_list *list)
{
	const uint64_t codes = header->code_count * sizeof(*spans->codes);
	const uint64_t ranges = header->span_count * sizeof(*spans->spans);
	const uint64_t versions = header->version_count * sizeof(*spans->versions);
	const uint64_t lines = header->line_count * sizeof(*list->lines);
	uint8_t *at;

	result->bytes = sizeof(*header) + codes + ranges + versions + lines + header->name_bytes;
	result->data = malloc(result->bytes);
	if (!result->data)
		return PARSER_FAILED;
	at = put(result->data, header, sizeof(*header));
	at = put(at, spans->codes, codes);
	at = put(at, spans->spans, ranges);
	at = put(at, spans->versions, versions);
	at = put(at, list->lines, lines);
	(void)put(at, list->names, header->name_bytes);
	return 0;
}

int code_blob_write(struct result_blob *result, const struct code_list *list, uint32_t pid)
{
	struct code_spans spans = {0};
	int r = code_spans_make(&spans, list);
	const struct parser_code_table header = {
		.magic = PARSER_CODES_MAGIC,
		.flags = list->flags | spans.flags,
		.code_count = spans.code_count,
		.span_count = spans.count,
		.version_count = spans.version_count,
		.line_count = list->line_count,
		.name_bytes = list->name_bytes,
		.pid = pid,
	};

	if (!r)
		r = write_parts(result, &header, &spans, list);
	code_spans_free(&spans);
	return r;
}
