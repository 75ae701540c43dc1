/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * evaluate - what a rule, and what libdw's operations, come to in one made-up state of a machine
 *
 * Registers and memory are pseudo-random, so that two ways to say a place agree only if they are the
 * same place.
 */

#include <elfutils/libdw.h>
#include <stdint.h>

#include "shared/unwind_table.h"

#define EVALUATE_REGISTERS 17

struct machine {
	uint64_t registers[EVALUATE_REGISTERS]; /* by DWARF number; 16: the place itself */
	uint64_t cfa;                           /* for operations that ask for it */
};

enum value_kind {
	VALUE_UNKNOWN, /* an operation that is not known here */
	VALUE_UNDEFINED,
	VALUE_SAME,
	VALUE_MEMORY,   /* at the address `number` */
	VALUE_PLAIN,    /* `number` itself */
	VALUE_REGISTER, /* in the register `number` */
};

struct value {
	enum value_kind kind;
	uint64_t number;
};

void machine_fill(struct machine *machine, uint64_t seed, uint64_t pc);
/* @nops operations; NULL: same value. The result of CFA operations is PLAIN. */
struct value evaluate_operations(const struct machine *machine, const Dwarf_Op *ops, size_t nops,
				 int is_cfa);
struct value evaluate_cfa(const struct machine *machine, const struct tm_rule *rule);
/* @cfa: what evaluate_cfa() gave. */
struct value evaluate_saved(const struct machine *machine, uint64_t cfa, enum tm_rule_saved saved,
			    int32_t offset);
