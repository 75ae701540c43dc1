/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fde_list - which functions a file's .eh_frame or .debug_frame describes, and by which bytes
 *
 * Trust      an entry that does not make sense costs its own function; a length that does not, what
 *            follows it. A function refers to an entry that the same walk has met, or to none: nothing
 *            is followed. Memory grows with the entries met, never by a number read.
 * Source     DWARF 5, 6.4; Linux Standard Base 5, Core, 10.6.
 */

#include "symbolizer/parser/elf/sections.h"

#define FDE_LIST_MAX      (4u << 20) /* functions of one file */
#define FDE_LIST_CIES_MAX (1u << 20)
#define FDE_LIST_ROOTS    4u
#define FDE_LIST_NO_CIE   0xffffffffu

/* Who describes a span; of two that overlap the first named here is believed. */
enum span_source {
	SPAN_GO,
	SPAN_EH_FRAME,
	SPAN_DEBUG_FRAME,
	SPAN_STUB,
};

struct span {           /* a range of code that somebody describes */
	uint32_t start; /* file offset */
	uint32_t bytes;
	uint32_t code_bytes; /* of `code` */
	uint32_t cie;        /* frames: index; Go: number of the function; stub: enum stub_kind */
	const uint8_t *code; /* frames: instructions, borrowed from the image */
	uint64_t vaddr;      /* of start */
	uint32_t source;     /* enum span_source */
	uint32_t pad;
};

struct cie {
	const uint8_t *code;
	uint32_t code_bytes;
	uint32_t at; /* of its entry in its section */
	uint64_t code_align;
	int64_t data_align;
	uint32_t return_register;
	uint8_t encoding; /* of its functions' addresses */
	uint8_t has_data; /* 'z': its functions have augmentation data */
	uint8_t signal;
	uint8_t good;
};

struct fde_list {
	struct span *spans; /* owned */
	struct cie *cies;   /* owned */
	uint32_t count, room;
	uint32_t cie_count, cie_room;
	uint32_t described;             /* functions met */
	uint32_t refused;               /* of those, not understood */
	uint64_t roots[FDE_LIST_ROOTS]; /* addresses of functions that nobody calls */
	uint32_t root_count;
	uint8_t cut; /* a limit was met */
};

/*
 * Adds what @section describes. @stop_at_zero: it has no known end, so a zero length is it.
 * Return: 0, PARSER_FAILED (memory).
 */
int fde_list_collect(struct fde_list *frames, const struct image *image,
		     const struct section *section, enum span_source source, int stop_at_zero);
/* Adds one span, whose range of addresses is clipped to executable bytes of the file; none: nothing. */
int fde_list_add(struct fde_list *frames, const struct image *image, const struct span *span,
		 uint64_t bytes);
/* What begins at @vaddr is outermost, whatever is said of it; beyond FDE_LIST_ROOTS nothing changes. */
void fde_list_add_root(struct fde_list *frames, uint64_t vaddr);
int fde_list_is_root(const struct fde_list *frames, uint64_t vaddr);
/* Sorts by start, then by source, then as they came. */
void fde_list_sort(struct fde_list *frames);
void fde_list_free(struct fde_list *frames);
