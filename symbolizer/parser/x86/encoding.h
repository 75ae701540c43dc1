/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * encoding - the parts of an encoded instruction: prefixes, opcode, ModRM, SIB, immediate
 *
 * Filled by the decoder (decode.c, groups.c, opcode.c); what an instruction does not have is 0.
 * Source: Intel SDM volume 2, 2.1 to 2.7.
 */

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/x86/insn.h"

#define ENCODING_NO_RM 0x10u /* r/m is memory */

enum encoding_map {
	MAP_PRIMARY,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
};

struct encoding {
	struct cursor code;
	const uint8_t *begin;
	struct insn *insn;
	uint64_t vaddr;
	uint8_t map, opcode;    /* enum encoding_map */
	uint8_t rex;            /* W 8, R 4, X 2, B 1 */
	bool has_rex;           /* byte registers 4 to 7 are then spl, bpl, sil and dil */
	bool size16, address32; /* prefixes 0x66, 0x67 */
	uint8_t repeat;         /* prefix 0xf2 or 0xf3 */
	bool vex, evex;         /* the encoding; evex implies vex */
	uint8_t second;         /* the register in VEX.vvvv */
	uint8_t modrm;
	uint8_t reg, rm; /* register numbers; rm ENCODING_NO_RM: memory */
	uint8_t base;    /* of an address without an index, or INSN_NONE */
	bool rip_relative;
	int64_t displacement, immediate;
};

/* Reads ModRM, and SIB and displacement behind it. */
void encoding_modrm(struct encoding *in);
/* Reads the immediate: @bytes are 1, 2, 4 or 8. */
void encoding_immediate(struct encoding *in, uint32_t bytes);
/* Bytes of an immediate of operand size. */
uint32_t encoding_immediate_bytes(const struct encoding *in);
/* Notes what the instruction writes: a register, the one in r/m, the one in reg. */
void encoding_write(struct insn *insn, uint32_t number);
void encoding_write_rm(struct encoding *in);
void encoding_write_reg(struct encoding *in);
/* Without REX, byte registers 4 to 7 are ah, ch, dh and bh. Return: the full register's number. */
uint32_t encoding_byte_register(const struct encoding *in, uint32_t number);
