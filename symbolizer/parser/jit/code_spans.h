/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * code_spans - which codes lay at each address, one after the other
 *
 * Limits     PARSER_CODE_VERSIONS_MAX. Where more codes than that lay at all addresses together,
 *            each address has the same number of its last ones, at least two, so that what lies
 *            there now is named; flagged (PARSER_CODES_TRUNCATED).
 * Cost       n log n in the codes, and a step for each version.
 */

#include "symbolizer/parser/jit/code_list.h"

struct code_spans {
	struct parser_code_span *spans; /* owned, as are the next two */
	uint32_t *versions;
	struct parser_code *codes; /* in the order of `from` */
	uint32_t count, capacity;
	uint32_t version_count, version_capacity;
	uint32_t code_count;
	uint32_t flags; /* enum parser_codes_flag */
};

/* @list: after code_list_follow_moves(). @spans: all zero. Return: 0, PARSER_FAILED (memory). */
int code_spans_make(struct code_spans *spans, const struct code_list *list);
void code_spans_free(struct code_spans *spans);
