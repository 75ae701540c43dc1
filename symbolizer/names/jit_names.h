/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jit_names - names of anonymous code in one report, by process generation
 *
 * Shape      the last version of each generation's perf map and jitdump (jit_files.h) stays pinned
 *            until the report ends; where it could not be read, that before it does. Two
 *            generations never share a name: an address means nothing without its generation.
 * Time       a perf map names an address as it is now. A jitdump says what lay there when: before
 *            anything is named, each frame whose code is known for its sample's time becomes a word
 *            that names that code (JIT_NAMES_CODE), in place of the address. So code that took the
 *            place of another one at the same address is another frame.
 * Trust      of a process in its own files: it can lie about its own frames alone.
 */

#include "symbolizer/names/symbol_store.h"
#include "symbolizer/profile/aggregate.h"

/* In an ANON word: 52..32 a version of the jitdump's table, 31..0 the offset in its span, of the
 * call. No user address has this bit. */
#define JIT_NAMES_CODE          (1ull << 58)
#define JIT_NAMES_VERSION_SHIFT 32
#define JIT_NAMES_VERSION_MASK  ((1u << 21) - 1)
_Static_assert(PARSER_CODE_VERSIONS_MAX <= JIT_NAMES_VERSION_MASK + 1, "each version has a number");

struct jit_names_process {
	uint32_t process; /* index of the generation */
	struct symbol_store_pin map;
	struct symbol_store_pin dump;
};

struct jit_names {
	struct jit_names_process *items; /* ascending by process */
	uint32_t count, capacity;
	const struct process_table *processes; /* borrowed, as are the next two */
	struct symbol_store *store;
	struct budget *budget;
};

struct jit_name { /* of one frame */
	uint64_t address;
	const char *text;       /* not cleaned; NULL: it has none, for `reason` */
	const char *path;       /* not cleaned; NULL: not known */
	uint32_t line;          /* 0: not known */
	enum tm_unnamed reason; /* meaningful without a text */
};

void jit_names_init(struct jit_names *names, struct budget *budget, struct symbol_store *store);
void jit_names_deinit(struct jit_names *names);
/*
 * Waits for the files of the generations that have anonymous frames, at most for @timeout_ms, pins
 * them and gives the frames their code. Where there is no memory, some stay as they are.
 */
void jit_names_prepare(struct jit_names *names, struct aggregate *aggregate, int64_t timeout_ms);
/* Of the ANON frame @word in a stack of @process. */
struct jit_name jit_names_find(const struct jit_names *names, uint32_t process, uint64_t word);
/* Of an ANON frame without JIT_NAMES_CODE: of the call, where it is a return address. */
uint64_t jit_names_address(uint64_t word);
