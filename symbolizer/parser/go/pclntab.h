/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab - reads the function table (pclntab) of a Go program
 *
 * Versions   the header of Go 1.2, 1.16, 1.18 and 1.20 (which 1.26 still has).
 * Trust      the table is hostile: each offset is checked before use, and each list has a bound.
 * Source     cmd/link/internal/ld/pcln.go, runtime/symtab.go, internal/abi/symtab.go of Go: the
 *            layout.
 */

#include "symbolizer/parser/code_ranges.h"
#include "symbolizer/parser/elf/sections.h"

struct pclntab {
	struct section table;  /* no bytes: no Go file */
	uint32_t version;      /* enum pclntab_version */
	uint32_t quantum;      /* the smallest instruction, the unit of pctab's distances */
	uint64_t count;        /* functions */
	uint64_t text;         /* the address to which function offsets are relative */
	uint64_t functab;      /* offsets in the table: of the functions and their _func, */
	uint64_t names;        /* of their names (funcnametab), */
	uint64_t files;        /* of the names of source files (filetab), */
	uint64_t file_numbers; /* of the offsets of these, by unit and number (cutab), */
	uint64_t
		pctab; /* and of the encoded lists of a value and the distance for which it holds */
};

enum pclntab_version {
	PCLNTAB_NONE,
	PCLNTAB_1_2,
	PCLNTAB_1_16,
	PCLNTAB_1_18,
	PCLNTAB_1_20,
};

/* Reads the header. Return: 0, also without one; or an enum parser_status. */
int pclntab_open(struct pclntab *pclntab, const struct sections *sections);
/* Adds each function's range, whose index is its number. Return: 0, PARSER_FAILED (memory). */
int pclntab_add(const struct pclntab *pclntab, struct code_ranges *ranges,
		const struct image *image);
/* Where a function begins, which is where the one before it ends. */
uint64_t pclntab_entry(const struct pclntab *pclntab, uint64_t number);
/* Where its name begins, behind the start of all names; UINT32_MAX: it lies beyond the table. */
uint32_t pclntab_name_offset(const struct pclntab *pclntab, uint32_t number);
/* The name of a function; NULL: it has none that ends within the table. */
const char *pclntab_name(const struct pclntab *pclntab, uint32_t number);
/* The offset of a function's _func in the table. */
uint64_t pclntab_func(const struct pclntab *pclntab, uint32_t number);
/* The word at an address, as the loader relocates it; 0: there is none. Return: 0, or an enum
 * parser_status. */
int pclntab_read_relocated(const struct sections *sections, uint64_t vaddr, uint64_t *ret_value);
/* A number at an offset of the table; 0 beyond its end. */
uint64_t pclntab_number(const struct pclntab *pclntab, uint64_t offset, uint32_t bytes);
