/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_rules - the rows of a function that a pclntab describes
 *
 * Rules      sp + what the function has pushed; where a function writes sp at will (switches stacks), by
 *            frame pointer; a function that stands at the bottom of its stack is the end, but for the
 *            signal handler, behind which what it interrupted goes on.
 */

#include "symbolizer/parser/go/pclntab.h"
#include "symbolizer/parser/table_writer.h"

/* The rows of a span of pclntab_add(). @ret_refused: its list made no sense.
 * Return: 0, PARSER_FAILED (memory). */
int pclntab_rules_put(const struct pclntab *golang, struct table_writer *make,
		      const struct span *span, uint64_t limit, int *ret_refused);
