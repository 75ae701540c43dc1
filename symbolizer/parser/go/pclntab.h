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

struct golang {
	struct section table; /* no bytes: no Go file */
	uint32_t version;     /* enum golang_version */
	uint32_t quantum;     /* bytes of an instruction at least */
	uint64_t count;       /* functions */
	uint64_t text;        /* address that function offsets count from */
	uint64_t functions;   /* offsets in the table: what describes each function, */
	uint64_t names;       /* their names, */
	uint64_t steps;       /* their lists of (what, until where) */
};

enum golang_version {
	GOLANG_NONE,
	GOLANG_1_2,
	GOLANG_1_16,
	GOLANG_1_18,
	GOLANG_1_20,
};

/* Reads the header. Return: 0, also without one; or an enum parser_status. */
int golang_open(struct golang *golang, const struct sections *sections);
/* Adds each function's span. Return: 0, or an enum parser_status. */
int golang_add(const struct golang *golang, struct frames *frames, const struct image *image);
/* The name of a function; NULL: none that ends in the table. */
const char *golang_name(const struct golang *golang, uint32_t number);
/* Names of the targets that have none yet. Return: whether there was any. */
int golang_offer(const struct golang *golang, struct pick *pick);
/* Where in the table a function is described. */
uint64_t golang_described(const struct golang *golang, uint32_t number);
/* A number at an offset of the table; 0 beyond its end. */
uint64_t golang_number(const struct golang *golang, uint64_t offset, uint32_t bytes);
