/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding - the parts of an encoded instruction: prefixes, opcode, ModRM, SIB, immediate
 */

#include "symbolizer/parser/x86/encoding.h"

void encoding_write(struct insn *insn, uint32_t number)
{
	insn->writes_sp |= number == INSN_SP;
	insn->writes_fp |= number == INSN_FP;
}

uint32_t encoding_byte_register(const struct encoding *in, uint32_t number)
{
	return in->has_rex || number < 4 || number > 7 ? number : number - 4;
}

static bool is_byte_operation(const struct encoding *in)
{
	if (in->map == MAP_0F)
		return (in->opcode & 0xf0) == 0x90 || in->opcode == 0xb0 || in->opcode == 0xc0;
	return in->map == MAP_PRIMARY && !(in->opcode & 1) && in->opcode != 0x8c &&
	       in->opcode != 0x8e;
}

static void read_address(struct encoding *in)
{
	uint8_t mod = in->modrm >> 6, low = in->modrm & 7, sib;

	in->rm = ENCODING_NO_RM;
	in->base = INSN_NONE;
	if (low == 4) {
		sib = cursor_byte(&in->code);
		low = sib & 7;
		if ((sib >> 3 & 7) == 4 && !(in->rex & 2) && (low != 5 || mod))
			in->base = (uint8_t)(low | (in->rex & 1) << 3);
		if (low == 5 && !mod)
			mod = 2;
	} else if (low == 5 && !mod) {
		in->rip_relative = true;
		mod = 2;
	} else {
		in->base = (uint8_t)(low | (in->rex & 1) << 3);
	}
	if (mod == 1)
		in->displacement = (int8_t)cursor_byte(&in->code);
	else if (mod == 2)
		in->displacement = (int32_t)cursor_number(&in->code, 4);
}

void encoding_modrm(struct encoding *in)
{
	in->modrm = cursor_byte(&in->code);
	in->reg |= (uint8_t)((in->modrm >> 3 & 7) | (in->rex & 4) << 1);
	if (in->modrm >> 6 == 3)
		in->rm = (uint8_t)((in->modrm & 7) | (in->rex & 1) << 3);
	else
		read_address(in);
}

void encoding_immediate(struct encoding *in, uint32_t bytes)
{
	uint64_t number = cursor_number(&in->code, bytes);

	in->immediate = bytes == 1   ? (int8_t)number
			: bytes == 2 ? (int16_t)number
			: bytes == 4 ? (int32_t)number
				     : (int64_t)number;
}

uint32_t encoding_immediate_bytes(const struct encoding *in)
{
	return in->size16 && !(in->rex & 8) ? 2 : 4;
}

void encoding_write_rm(struct encoding *in)
{
	uint32_t number = in->rm;

	if (number != ENCODING_NO_RM)
		encoding_write(in->insn,
			       is_byte_operation(in) ? encoding_byte_register(in, number) : number);
}

void encoding_write_reg(struct encoding *in)
{
	encoding_write(in->insn, is_byte_operation(in) ? encoding_byte_register(in, in->reg)
						       : (uint32_t)in->reg);
	in->insn->from_memory |= in->rm == ENCODING_NO_RM;
}
