/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * constant_stores - what functions store at fixed addresses, as far as it is constant
 *
 * For the initializers that compilers make of global objects: moves of constants to places relative
 * to the program counter, with calls and checks of guard variables between them.
 *
 * How        every instruction that can be reached from the functions counts as executed, once,
 *            whatever a branch depends on. Registers are known from an instruction that sets them
 *            to a constant up to a call, up to where a jump leads, or up to an instruction that is
 *            none of the few which are understood. Whatever else refers to memory at a known
 *            address may write there: a store of something unknown.
 * Not seen   stores at addresses that are not known, those of functions that are called, and those
 *            of string instructions.
 * Limits     CONSTANT_STORES_CODE_MAX; each instruction is read twice.
 */

#include "symbolizer/parser/elf/sections.h"

#define CONSTANT_STORES_CODE_MAX (4u << 20) /* bytes; code beyond is not followed */
#define CONSTANT_STORES_UNKNOWN  64u        /* bytes that an instruction may write at most */

struct constant_store {
	uint64_t vaddr;
	uint64_t value;
	uint32_t bytes; /* 1, 2, 4, 8; or CONSTANT_STORES_UNKNOWN, and not known */
	bool is_known;
};

struct constant_stores {
	const struct section *code; /* borrowed; where the functions lie */
	void (*take)(void *context, const struct constant_store *store);
	void *context;
};

/* @functions: where they begin. Return: 0, PARSER_FAILED (memory). */
int constant_stores_read(const struct constant_stores *stores, const uint64_t *functions,
			 uint32_t count);
