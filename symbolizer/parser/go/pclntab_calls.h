/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_calls - the functions, inlined calls and lines that a pclntab knows at an address
 *
 * Versions   since Go 1.16; what is inlined, of position-independent programs only since 1.18.
 * Trust      every offset is checked before use, and a chain has at most PCLNTAB_CALLS_MAX calls.
 * Source     runtime/symtab.go, symtabinl.go and runtime2.go of Go: the layout.
 */

#include "symbolizer/parser/go/pclntab.h"

#define PCLNTAB_CALLS_MAX 64u

struct pclntab_calls {
	const struct pclntab *pclntab;
	uint64_t inline_trees; /* address to which offsets of inline trees are relative */
	struct section trees;  /* the bytes that hold them; none: nothing is known to be inlined */
};

struct pclntab_call {
	const char *function; /* NULL: unknown, likewise the file */
	const char *file;
	uint32_t line;
	uint32_t start_line;
};

/* Return: 0, also when the table has no lines; or an enum parser_status. */
int pclntab_calls_open(struct pclntab_calls *calls, const struct pclntab *pclntab,
		       const struct sections *sections);
/* Fills @list, innermost call first. Return: how many; 0: no function is known there. */
uint32_t pclntab_calls_find(const struct pclntab_calls *calls, uint64_t vaddr,
			    struct pclntab_call list[static PCLNTAB_CALLS_MAX]);
