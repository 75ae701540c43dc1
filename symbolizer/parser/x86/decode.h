/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * decode - the parts of one machine instruction while it is read
 *
 * Only insn.c and what it is made of include this. Source: Intel SDM volume 2, 2.1 to 2.7.
 */

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/x86/insn.h"

#define DECODE_NO_RM 0x10u /* r/m is memory */

enum decode_map {
	MAP_ONE,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
};

struct decode {
	struct cursor code;
	const uint8_t *begin;
	struct insn *insn;
	uint64_t vaddr;
	uint8_t map, opcode;       /* enum decode_map */
	uint8_t rex;               /* W 8, R 4, X 2, B 1 */
	uint8_t has_rex;           /* a byte register of 4 to 7 is then a low one */
	uint8_t size16, address32; /* 0x66, 0x67 */
	uint8_t repeat;            /* 0xf2, 0xf3 */
	uint8_t vex, evex;         /* its encoding; evex is vex too */
	uint8_t second;            /* register that stands in no ModRM */
	uint8_t modrm;             /* as read */
	uint8_t reg, rm;           /* register numbers; rm DECODE_NO_RM: memory */
	uint8_t base;              /* of memory without an index, or INSN_NONE */
	uint8_t rip_relative;
	int64_t displacement, immediate;
};

/* ModRM, and what of an address follows it. */
void decode_modrm(struct decode *in);
/* @bytes: 1, 2, 4 or 8; into `immediate`. */
void decode_immediate(struct decode *in, uint32_t bytes);
/* Bytes of a number as large as the operand. */
uint32_t decode_operand(const struct decode *in);
/* That the instruction writes: a register, the one in r/m, the one in reg. */
void decode_write(struct insn *insn, uint32_t number);
void decode_write_rm(struct decode *in);
void decode_write_reg(struct decode *in);
/* Registers 4 to 7 of a byte without REX are ah, ch, dh and bh. Return: the whole one's number. */
uint32_t decode_byte_register(const struct decode *in, uint32_t number);
