/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * name_table - the places of a report, each once, and their names
 *
 * A place is a file offset, or an offset in the vDSO's image, of a call and not of its return. Its
 * name is looked up in the symbol table of its file, which stays pinned until the table ends. A
 * place without a name has a reason. Anonymous code has no place: jit_names.h.
 */

#include <stdbool.h>

#include "symbolizer/names/jit_names.h"

#define NAME_TABLE_VDSO (TM_FRAME_FILE_MAX + 1u) /* the "file" of vDSO offsets */
#define NAME_TABLE_NONE 0xffffffffu

struct name_table_place { /* one (file, offset) */
	uint64_t key;     /* file << 40 | offset */
	uint64_t vaddr;   /* meaningful if has_vaddr */
	uint64_t weight;  /* of all stacks that have it, as aggregate_stack.weight */
	uint32_t name;    /* string, or NAME_TABLE_NONE */
	uint8_t has_vaddr;
	uint8_t reason;      /* enum tm_unnamed; meaningful without a name */
	uint8_t no_line;     /* enum tm_no_line; TM_NO_LINE_N: it has one, or cannot have any */
	uint32_t first_call; /* into name_table.calls; set by line_names.h */
	uint32_t call_count;
};

struct name_table_call {     /* one function at a place; innermost first, the last is not inlined */
	uint32_t function;   /* string: linkage name, else plain name; 0: not known */
	uint32_t path;       /* string, or 0 */
	uint32_t line;       /* 0: not known */
	uint32_t start_line; /* likewise */
};

struct name_table_file { /* one file that was sampled */
	uint32_t file;
	uint32_t build_id;    /* string, hex; "": none, */
	uint32_t go_build_id; /* likewise; as Go's linker wrote it, */
	uint32_t htlhash;     /* likewise; hex */
	uint8_t has_symbols;
	uint8_t is_go; /* it has Go's table of functions */
	struct symbol_store_pin pin;
};

struct name_table {
	struct name_table_place *places;
	struct name_table_file *files; /* by index, once resolved */
	struct name_table_call *calls;
	uint32_t call_count, call_capacity;
	uint32_t place_count, place_capacity;
	uint32_t file_count, file_capacity;
	struct hash_index lookup; /* of places */
	struct jit_names jit;
	bool runtime_internals;     /* what runs a language runtime's functions is shown, too */
	uint64_t failed;            /* files whose symbols had not come, or not yet */
	struct strings *strings;    /* borrowed */
	struct symbol_store *store; /* borrowed */
};

void name_table_init(struct name_table *names, struct strings *strings, struct symbol_store *store);
void name_table_deinit(struct name_table *names);
/* Forgets all places. What jit_names_prepare() found stays. */
void name_table_clear(struct name_table *names);
/* What an encoded frame is looked up as; only FILE and VDSO frames have a key. */
uint64_t name_table_key(uint64_t word);
/* Collects the places of every stack. Return: 0, BUDGET_E_SPENT (the rest stays unnamed). */
int name_table_collect(struct name_table *names, const struct aggregate *aggregate);
/* Until the symbols of all of them are there or have failed, at most for @timeout_ms. */
void name_table_wait(const struct name_table *names, const struct files *files, int64_t timeout_ms);
/* Names what can be named. @files: those of the places. */
void name_table_resolve(struct name_table *names, const struct files *files);
/* NULL when the place was not collected. */
const struct name_table_place *name_table_find(const struct name_table *names, uint64_t key);
/* Why the encoded frame @word, of any kind, has no name. @process: of an ANON frame. */
enum tm_unnamed name_table_reason(const struct name_table *names, uint64_t word, uint32_t process);
