/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode - decodes one x86-64 instruction
 */

#include "symbolizer/parser/x86/decode.h"

#include <stddef.h>

#include "symbolizer/parser/x86/groups.h"
#include "symbolizer/parser/x86/opcode.h"

/* Return: whether @byte is a legacy prefix. */
static bool take_prefix(struct encoding *in, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		in->size16 = true;
		return true;
	case 0x67:
		in->address32 = true;
		return true;
	case 0xf2:
	case 0xf3:
		in->repeat = byte;
		return true;
	case 0xf0: /* lock; then the segments, of which cs and ds are hints for branches */
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		return true;
	default:
		return false;
	}
}

static int take_map(struct encoding *in, uint32_t map)
{
	in->map = (uint8_t)map;
	in->opcode = cursor_byte(&in->code);
	return map >= MAP_0F && map <= MAP_0F3A ? 0 : INSN_E_UNKNOWN;
}

/* VEX and EVEX hold the high bits of register numbers inverted. */
static int take_vex(struct encoding *in, uint8_t byte)
{
	static const uint8_t prefix[] = {0, 0x66, 0xf3, 0xf2};
	uint8_t first = cursor_byte(&in->code), second;
	uint32_t map = first & (byte == 0x62 ? 7 : 31);

	in->vex = in->has_rex = true;
	in->evex = byte == 0x62;
	if (byte == 0xc5) {
		second = first;
		map = MAP_0F;
		in->rex = first & 0x80 ? 0 : 4;
	} else {
		second = cursor_byte(&in->code);
		in->rex = (uint8_t)((~first >> 5 & 7) | (second & 0x80) >> 4);
	}
	in->second = ~second >> 3 & 15;
	in->repeat = prefix[second & 3];
	if (!in->evex)
		return take_map(in, map);
	in->reg = first & 0x10 ? 0 : 0x10;
	cursor_skip(&in->code, 1);
	/* Maps 5 and 6 have half-precision instructions, laid out as those of maps 1 and 2. */
	if (map == 5 || map == 6)
		map = map == 5 ? MAP_0F : MAP_0F38;
	return take_map(in, map);
}

static int take_opcode(struct encoding *in)
{
	uint8_t byte = cursor_byte(&in->code);

	while (take_prefix(in, byte))
		byte = cursor_byte(&in->code);
	if ((byte & 0xf0) == 0x40) {
		in->rex = byte & 15;
		in->has_rex = true;
		byte = cursor_byte(&in->code);
	} else if (byte == 0x62 || byte == 0xc4 || byte == 0xc5) {
		return take_vex(in, byte);
	}
	in->map = MAP_PRIMARY;
	in->opcode = byte;
	if (byte != 0x0f)
		return 0;
	byte = cursor_byte(&in->code);
	if (byte == 0x38 || byte == 0x3a)
		return take_map(in, byte == 0x38 ? MAP_0F38 : MAP_0F3A);
	in->map = MAP_0F;
	in->opcode = byte;
	return 0;
}

static void without_modrm(struct encoding *in, char class)
{
	uint32_t low = (in->opcode & 7u) | (uint32_t)(in->rex & 1) << 3;

	switch (class) {
	case 'b':
		encoding_immediate(in, 1);
		break;
	case 'z':
		encoding_immediate(in, encoding_immediate_bytes(in));
		break;
	case 'q':
		cursor_skip(&in->code, in->address32 ? 4 : 8);
		break;
	case 'B':
		encoding_immediate(in, 1);
		encoding_write(in->insn, encoding_byte_register(in, low));
		break;
	case 'V':
		encoding_immediate(in, in->rex & 8 ? 8 : encoding_immediate_bytes(in));
		encoding_write(in->insn, low);
		break;
	case 'o':
		encoding_write(in->insn, low);
		break;
	default: /* 'n' */
		break;
	}
}

static void with_modrm(struct encoding *in, char class)
{
	encoding_modrm(in);
	if (class == 'i' || class == 'I' || class == 'r')
		encoding_immediate(in, 1);
	else if (class == 'Z' || class == 'Y')
		encoding_immediate(in, encoding_immediate_bytes(in));
	if (class == 'M' || class == 'X' || class == 'I' || class == 'Z')
		encoding_write_rm(in);
	if (class == 'R' || class == 'X' || class == 'r' || class == 'Y')
		encoding_write_reg(in);
	/* blsr and mulx write the register in VEX.vvvv. */
	if (in->vex && in->map == MAP_0F38 && (in->opcode == 0xf3 || in->opcode == 0xf6))
		encoding_write(in->insn, in->second);
	if (in->map == MAP_PRIMARY && (in->opcode == 0x31 || in->opcode == 0x33) &&
	    in->reg == INSN_FP && in->rm == INSN_FP)
		in->insn->kind = INSN_CLEAR_FP;
}

static int operate(struct encoding *in)
{
	char class = opcode_class(in);

	switch (class) {
	case '.':
		return INSN_E_UNKNOWN;
	case 's':
		return groups_decode(in);
	case 'b':
	case 'z':
	case 'q':
	case 'B':
	case 'V':
	case 'o':
	case 'n':
		without_modrm(in, class);
		return 0;
	default:
		with_modrm(in, class);
		/* mov of an immediate is /0; the others here are transactional memory. */
		return in->map == MAP_PRIMARY && (in->opcode & 0xfe) == 0xc6 && in->modrm >> 3 & 7
			       ? INSN_E_UNKNOWN
			       : 0;
	}
}

int decode_encoding(const uint8_t *code, const uint8_t *end, uint64_t vaddr,
		    struct encoding *ret_encoding, struct insn *ret_insn)
{
	uint64_t left = (uint64_t)(end - code);

	*ret_encoding = (struct encoding){
		.code = cursor_of(code, left < INSN_BYTES_MAX ? left : INSN_BYTES_MAX),
		.begin = code,
		.insn = ret_insn,
		.vaddr = vaddr};
	*ret_insn = (struct insn){.to = INSN_NONE, .base = INSN_NONE};
	if (take_opcode(ret_encoding) || operate(ret_encoding) || ret_encoding->code.is_past_end)
		return INSN_E_UNKNOWN;
	ret_insn->bytes = (uint8_t)(ret_encoding->code.at - code);
	return 0;
}

int decode_insn(const uint8_t *code, const uint8_t *end, uint64_t vaddr, struct insn *ret_insn)
{
	struct encoding encoding;

	return decode_encoding(code, end, vaddr, &encoding, ret_insn);
}

uint32_t decode_padding(const uint8_t *code, const uint8_t *end)
{
	const uint8_t *at = code;
	struct insn insn;

	while (at - code < (ptrdiff_t)DECODE_PADDING_MAX) {
		const uint8_t *next = at;

		while (next < end && (*next == 0x66 || *next == 0x2e))
			next++;
		if (next < end && (*next == 0x90 || *next == 0xcc))
			next++;
		else if (end - next >= 2 && next[0] == 0x0f && next[1] == 0x1f &&
			 !decode_insn(next, end, 0, &insn))
			next += insn.bytes;
		else
			break;
		at = next;
	}
	return (uint32_t)(at - code);
}
