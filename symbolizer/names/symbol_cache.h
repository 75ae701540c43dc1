/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_cache - the named places of one file, kept beyond the report that asked for them
 *
 * One block of memory per file, replaced whole: its places sorted by offset, then their texts. It
 * refers to nothing outside, so that it survives the strings of a report. The file owns it
 * (files.h).
 * Limits     SYMBOL_CACHE_BYTES for all files; what does not fit, the next report asks for again.
 */

#include "symbolizer/profile/files.h"

#define SYMBOL_CACHE_BYTES   (64ull << 20)
#define SYMBOL_CACHE_NO_NAME 0xffffffffu

struct name_table;
struct name_table_file;

struct symbol_cache_place {
	uint64_t offset; /* in the file */
	uint64_t vaddr;  /* meaningful if has_vaddr */
	uint32_t name;   /* into the texts, or SYMBOL_CACHE_NO_NAME */
	uint32_t has_vaddr;
};

struct symbol_cache {
	uint64_t bytes; /* of the whole block, as charged */
	uint64_t vaddr, offset, segment_bytes;
	uint32_t count;    /* of places */
	uint32_t build_id; /* into the texts */
	uint8_t has_symbols;
	struct symbol_cache_place places[]; /* the texts follow, each closed by a NUL */
};

/* What is kept of all files, and of the vDSO, which is none. */
struct symbol_cache_store {
	struct files *files; /* borrowed; must end before the store */
	struct symbol_cache *vdso;
	struct budget budget;
};

/* From now on @files frees what is kept of a file as the file ends. */
void symbol_cache_store_init(struct symbol_cache_store *store, struct files *files);
void symbol_cache_store_deinit(struct symbol_cache_store *store);

void symbol_cache_free(struct symbol_cache *symbols, struct budget *budget);
/* Names what it can of @file's places. Return: how many are still to be asked for. */
uint32_t symbol_cache_recall(const struct symbol_cache *symbols, struct name_table *names,
			     struct name_table_file *file);
/* What @old has and what @names knows of @file. Return: a new block, or NULL (budget spent). */
struct symbol_cache *symbol_cache_unite(const struct symbol_cache *old,
					const struct name_table *names,
					const struct name_table_file *file, struct budget *budget);
