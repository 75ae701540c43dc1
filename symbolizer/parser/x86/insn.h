/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * insn - a decoded instruction: its length, its jump, and its effect on stack and frame pointer
 */

#include <stdbool.h>
#include <stdint.h>

#define INSN_BYTES_MAX 15u
#define INSN_E_UNKNOWN 1     /* an instruction that the decoder does not know */
#define INSN_NONE      0xffu /* no register */
#define INSN_SP        4u
#define INSN_FP        5u

enum insn_kind {
	INSN_PLAIN = 0, /* see `writes_sp`, `writes_fp` */
	INSN_PUSH,      /* `to`: the register pushed, or INSN_NONE */
	INSN_POP,       /* `to`: the register popped, or INSN_NONE */
	INSN_LEA,       /* `to` = `base` + `value`; `to` is sp or fp */
	INSN_STORE,     /* fp to `base` + `value`; `base` is sp or fp */
	INSN_LOAD,      /* fp from there */
	INSN_CLEAR_FP,  /* fp = 0 */
	INSN_LEAVE,
	INSN_CALL,   /* `target`, or 0 */
	INSN_JUMP,   /* `target` */
	INSN_BRANCH, /* `target`, or the next instruction */
	INSN_JUMP_INDIRECT,
	INSN_RET,
	INSN_STOP, /* nothing follows: ud2, hlt, int3 */
};

struct insn {
	uint8_t kind; /* enum insn_kind */
	uint8_t bytes;
	uint8_t to, base; /* register numbers of the machine code, not DWARF's */
	bool writes_sp, writes_fp;
	bool from_memory; /* the value written was loaded */
	bool is_pointer; /* a call through a register, or through memory that is not rip-relative */
	bool is_address; /* lea of the code address `target` */
	int64_t value;
	uint64_t target;
};
