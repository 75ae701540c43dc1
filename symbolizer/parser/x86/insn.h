/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * insn - one machine instruction, as far as it moves the stack pointer, the frame pointer or the flow
 *
 * Trust      the bytes are hostile: none beyond `end` is read, none twice.
 * Errors     INSN_E_UNKNOWN: not an instruction that this file knows. It knows what compilers and
 *            assemblers' authors write for user space, up to AVX-512; what it knows has the right length.
 * Source     Intel SDM volume 2, appendix A (opcode maps), 2.1 to 2.7 (prefixes).
 */

#include <stdint.h>

#define INSN_BYTES_MAX   15u
#define INSN_E_UNKNOWN   1
#define INSN_FILLING_MAX 64u
#define INSN_NONE        0xffu /* no such register */

enum insn_kind {
	INSN_PLAIN = 0, /* see `writes_sp`, `writes_fp` */
	INSN_PUSH,      /* `to`: what is pushed, or INSN_NONE */
	INSN_POP,       /* `to`: where to */
	INSN_LEA,       /* `to` = `base` + `value`; `to` is sp or fp */
	INSN_STORE,     /* fp to `base` + `value`; `base` is sp or fp */
	INSN_LOAD,      /* fp from there */
	INSN_CLEAR_FP,  /* fp = 0 */
	INSN_LEAVE,
	INSN_CALL,   /* `target`, or 0 */
	INSN_JUMP,   /* `target` */
	INSN_BRANCH, /* `target`, or on */
	INSN_JUMP_INDIRECT,
	INSN_RET,
	INSN_STOP, /* there is no next */
};

struct insn {
	uint8_t kind; /* enum insn_kind */
	uint8_t bytes;
	uint8_t to, base; /* register numbers of the machine, not DWARF's */
	uint8_t writes_sp, writes_fp;
	uint8_t from_memory; /* ... what was loaded */
	uint8_t is_pointer;  /* a call that goes where a register, or what it points to, says */
	uint8_t is_address;  /* `target` is an address that it makes */
	int64_t value;
	uint64_t target;
};

#define INSN_SP 4u
#define INSN_FP 5u

/* The instruction at @code, whose address is @vaddr. Return: 0, INSN_E_UNKNOWN. */
int insn_read(const uint8_t *code, const uint8_t *end, uint64_t vaddr, struct insn *ret_insn);
/* Bytes of what only fills, from @code on: nop of any length, int3; about INSN_FILLING_MAX at most. */
uint32_t insn_filling(const uint8_t *code, const uint8_t *end);
