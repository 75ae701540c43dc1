/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * disassembly - rows of code that nobody describes, by reading its instructions
 *
 * Which     the gaps that the compiler of rows hands over, from where functions are known to begin:
 *           symbols, targets of calls, addresses that code makes, the entry point. From there along the
 *           flow. What is not understood, or does not fit together (two heights at one place, a return
 *           that finds no return address), costs its function: it has no rows then.
 * Trust     the code is hostile like all of the file: no loop without an end, no memory by a number read.
 * Limits    DISASSEMBLY_BYTES_MAX of gaps, in DISASSEMBLY_GAPS_MAX pieces, DISASSEMBLY_STARTS_MAX functions,
 *           DISASSEMBLY_STEPS_MAX instructions and sections looked at: what is beyond has no rows (`cut`).
 */

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/x86/height_set.h"

#define DISASSEMBLY_BYTES_MAX   (8u << 20)
#define DISASSEMBLY_GAPS_MAX    (1u << 18)
#define DISASSEMBLY_STARTS_MAX  (1u << 18)
#define DISASSEMBLY_STEPS_MAX   (32u << 20)
#define DISASSEMBLY_SYMBOLS_MAX (32u << 20) /* bytes of a symbol table that is looked through */
#define DISASSEMBLY_PASSES      4u          /* over all, until it is known who does not return */
#define DISASSEMBLY_NO_CELL     0xffffffffu

struct disassembly_gap {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	const uint8_t *code;
	uint32_t bytes;
	uint32_t cell; /* its first */
};

/* What is known of one byte. */
struct disassembly_cell {
	uint32_t owner;  /* function, one-based; 0: nobody has been here */
	uint32_t origin; /* the last call before, one-based cell; 0: none */
	uint16_t state;
	uint8_t is_head;   /* an instruction begins here */
	uint8_t is_start;  /* a function begins here */
	uint8_t is_last;   /* a call that does not return */
	uint8_t is_end;    /* the function that begins here does not return */
	uint8_t is_sure;   /* ... returns */
	uint8_t is_proved; /* a call of which it is known that it returns */
	uint8_t is_seen;   /* in this pass somebody was here, if only for a time */
};

struct disassembly_start {
	uint32_t cell;
	uint32_t bytes; /* of its symbol; 0: not known */
	uint32_t first; /* the cells that it owns lie in [first, last] */
	uint32_t last;
	uint16_t jumping; /* state of its indirect jumps */
	uint8_t jumps;    /* 1: it has some, 2: in several states */
	uint8_t bad;
	uint8_t returns; /* 1: it may, and 2: it does */
};

struct disassembly {
	const struct sections *sections;  /* borrowed */
	struct disassembly_gap *gaps;     /* owned, as they were added */
	struct disassembly_cell *cells;   /* owned */
	struct disassembly_start *starts; /* owned */
	uint32_t *maybe;                  /* owned; cells whose address is made somewhere */
	struct height_set states;
	uint32_t gap_count, gap_room;
	uint32_t start_count, start_room;
	uint32_t maybe_count, maybe_room;
	uint32_t cell_count;
	uint32_t steps;
	uint8_t cut;
};

void disassembly_open(struct disassembly *heights, const struct sections *sections);
/* A range of file offsets that nobody describes; those rise. Return: 0, or an enum parser_status. */
int disassembly_add(struct disassembly *heights, uint64_t from, uint64_t to);
/* Reads what was added. Return: as above. */
int disassembly_read(struct disassembly *heights);
/* From file offset @at on, below @to: how many bytes have one rule, or (@ret_rule NULL) none. */
uint64_t disassembly_find(const struct disassembly *heights, uint64_t at, uint64_t to,
			  const struct stack_height **ret_height);
void disassembly_close(struct disassembly *heights);

/* For flow.c: the cell of an address, DISASSEMBLY_NO_CELL; with its gap. */
uint32_t disassembly_cell(const struct disassembly *heights, uint64_t vaddr,
			  const struct disassembly_gap **ret_gap);
uint64_t disassembly_vaddr(const struct disassembly *heights, uint32_t cell);
/* A function begins at @cell. Return: 0, PARSER_FAILED (memory). */
int disassembly_begin(struct disassembly *heights, uint32_t cell, uint32_t bytes);
/* Code somewhere makes the address of @cell. Return: as above. */
int disassembly_suspect(struct disassembly *heights, uint32_t cell);
