/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * evaluate - evaluates unwind rules and libdw's operations in a pseudo-random machine state
 *
 * Registers and memory are pseudo-random, so that two ways to say a place agree only if they are
 * the same place.
 */

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/unwind_table.h"

#define EVALUATE_REGISTERS 17

struct machine {
	uint64_t registers[EVALUATE_REGISTERS]; /* by DWARF number; 16: the program counter */
	uint64_t cfa;                           /* for DW_OP_call_frame_cfa */
};

enum value_kind {
	VALUE_UNKNOWN, /* an operation that is not implemented here */
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
/* Without operations: @ops NULL is "same value", otherwise "undefined". A CFA is PLAIN. */
struct value evaluate_operations(const struct machine *machine, const Dwarf_Op *ops, size_t nops,
				 bool is_cfa);
struct value evaluate_cfa(const struct machine *machine, const struct tm_rule *rule);
/* @cfa: the result of evaluate_cfa(). */
struct value evaluate_saved(const struct machine *machine, uint64_t cfa, enum tm_rule_saved saved,
			    int32_t offset);
