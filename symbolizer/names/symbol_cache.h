/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_cache - the named places of one file, kept beyond the report that asked for them
 *
 * One block of memory per file, replaced whole: its places sorted by offset, then their texts. It
 * refers to nothing outside, so that it survives the strings of a report.
 * Limits     SYMBOLS_BYTES for all files; what does not fit is asked for again by the next report.
 */

#include "symbolizer/base/budget.h"

#define SYMBOLS_BYTES   (64ull << 20)
#define SYMBOLS_NO_NAME 0xffffffffu

struct names;
struct names_file;

struct symbols_place {
	uint64_t offset; /* in the file */
	uint64_t vaddr;  /* meaningful if has_vaddr */
	uint32_t name;   /* into the texts, or SYMBOLS_NO_NAME */
	uint32_t has_vaddr;
};

struct symbols {
	uint64_t bytes; /* of the whole block, as charged */
	uint64_t vaddr, offset, segment_bytes;
	uint32_t count;    /* of places */
	uint32_t build_id; /* into the texts */
	uint8_t has_symbols;
	struct symbols_place places[]; /* the texts follow, each closed by a NUL */
};

void symbols_free(struct symbols *symbols, struct budget *budget);
/* Names what it can of @file's places. Return: how many are still to be asked for. */
uint32_t symbols_recall(const struct symbols *symbols, struct names *names,
			struct names_file *file);
/* What @old has and what @names knows of @file by now. Return: a new block, or NULL (budget spent). */
struct symbols *symbols_unite(const struct symbols *old, const struct names *names,
			      const struct names_file *file, struct budget *budget);
