/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_rules - writes the unwind rules of a function that a pclntab describes
 *
 * Rules      the CFA is sp + what the function has pushed (pcsp). A function that switches stacks
 *            is unwound by frame pointer. A function at the bottom of its stack is outermost, but
 *            not the signal handler: its caller is the code that the signal interrupted.
 */

#include "symbolizer/parser/go/pclntab.h"
#include "symbolizer/parser/table_writer.h"

/* Writes the rows of a range of pclntab_add(). @ret_refused: its pcsp list makes no sense.
 * Return: 0, PARSER_FAILED (memory). */
int pclntab_rules_write(const struct pclntab *pclntab, struct table_writer *writer,
			const struct code_range *range, uint64_t limit, bool *ret_refused);
