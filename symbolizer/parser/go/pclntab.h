/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab - the functions that a Go file's pclntab describes
 *
 * Versions   the header of Go 1.2, 1.16, 1.18 and 1.20 (which 1.26 still has).
 * Trust      the table is hostile: each offset is checked before use, each list has an end.
 * Source     cmd/link/internal/ld/pcln.go, runtime/symtab.go, internal/abi/symtab.go of Go: the layout.
 */

#include "symbolizer/parser/cfi/fde_list.h"
#include "symbolizer/parser/elf/symbol_choice.h"

struct pclntab {
	struct section table; /* no bytes: no Go file */
	uint32_t version;     /* enum pclntab_version */
	uint32_t quantum;     /* bytes of an instruction at least */
	uint64_t count;       /* functions */
	uint64_t text;        /* address that function offsets count from */
	uint64_t functions;   /* offsets in the table: what describes each function, */
	uint64_t names;       /* their names, */
	uint64_t steps;       /* their lists of (what, until where) */
};

enum pclntab_version {
	PCLNTAB_NONE,
	PCLNTAB_1_2,
	PCLNTAB_1_16,
	PCLNTAB_1_18,
	PCLNTAB_1_20,
};

/* Reads the header. Return: 0, also without one; or an enum parser_status. */
int pclntab_open(struct pclntab *golang, const struct sections *sections);
/* Adds each function's span. Return: 0, or an enum parser_status. */
int pclntab_add(const struct pclntab *golang, struct fde_list *frames, const struct image *image);
/* The name of a function; NULL: none that ends in the table. */
const char *pclntab_name(const struct pclntab *golang, uint32_t number);
/* Names of the targets that have none yet. Return: whether there was any. */
int pclntab_offer(const struct pclntab *golang, struct symbol_choice *pick);
/* Where in the table a function is described. */
uint64_t pclntab_described(const struct pclntab *golang, uint32_t number);
/* A number at an offset of the table; 0 beyond its end. */
uint64_t pclntab_number(const struct pclntab *golang, uint64_t offset, uint32_t bytes);
