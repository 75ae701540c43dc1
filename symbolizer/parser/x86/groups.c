/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups - decodes stack and jump instructions, and groups that share an opcode
 */

#include "symbolizer/parser/x86/groups.h"

static void read_target(struct encoding *in, enum insn_kind kind, uint32_t bytes)
{
	encoding_immediate(in, bytes);
	in->insn->kind = (uint8_t)kind;
	in->insn->target =
		in->vaddr + (uint64_t)(in->code.at - in->begin) + (uint64_t)in->immediate;
}

/* sp or fp is set to either of them plus a number; or another register is written. */
static void write_sum(struct encoding *in, uint32_t to, uint32_t base, int64_t value)
{
	struct insn *insn = in->insn;

	if ((to == INSN_SP || to == INSN_FP) && (base == INSN_SP || base == INSN_FP) &&
	    in->rex & 8) {
		insn->kind = INSN_LEA;
		insn->to = (uint8_t)to;
		insn->base = (uint8_t)base;
		insn->value = value;
	}
	encoding_write(insn, to);
}

/* add, or, adc, sbb, and, sub, xor, cmp with an immediate */
static void group_1(struct encoding *in)
{
	uint32_t operation = in->modrm >> 3 & 7;

	if (operation == 7 || in->rm == ENCODING_NO_RM)
		return;
	if (in->opcode == 0x80)
		encoding_write_rm(in);
	else if (operation == 0 || operation == 5)
		write_sum(in, in->rm, in->rm, operation ? -in->immediate : in->immediate);
	else
		encoding_write_rm(in);
}

/* mov between fp or sp and another place */
static void move(struct encoding *in)
{
	struct insn *insn = in->insn;
	bool is_store = in->opcode == 0x89;

	if (in->rm != ENCODING_NO_RM) {
		write_sum(in, is_store ? in->rm : in->reg, is_store ? in->reg : in->rm, 0);
		return;
	}
	if (!is_store)
		encoding_write_reg(in);
	if (in->reg != INSN_FP || !(in->rex & 8) || (in->base != INSN_SP && in->base != INSN_FP))
		return;
	insn->kind = is_store ? INSN_STORE : INSN_LOAD;
	insn->base = in->base;
	insn->value = in->displacement;
}

static int group_5(struct encoding *in)
{
	switch (in->modrm >> 3 & 7) {
	case 0:
	case 1:
		encoding_write_rm(in);
		return 0;
	case 2:
		in->insn->kind = INSN_CALL;
		in->insn->is_pointer = !in->rip_relative;
		return 0;
	case 4:
		in->insn->kind = INSN_JUMP_INDIRECT;
		return 0;
	case 6:
		in->insn->kind = INSN_PUSH;
		in->insn->to = INSN_NONE;
		return in->size16;
	default:
		return INSN_E_UNKNOWN;
	}
}

static int group_3(struct encoding *in)
{
	uint32_t operation = in->modrm >> 3 & 7;

	if (operation < 2)
		encoding_immediate(in, in->opcode == 0xf6 ? 1 : encoding_immediate_bytes(in));
	else if (operation < 4)
		encoding_write_rm(in);
	return 0;
}

static int stack_operation(struct encoding *in, enum insn_kind kind, uint32_t to)
{
	in->insn->kind = (uint8_t)kind;
	in->insn->to = (uint8_t)to;
	return in->size16; /* two bytes: no compiler writes it */
}

static void lea(struct encoding *in)
{
	struct insn *insn = in->insn;

	if (in->rm == ENCODING_NO_RM && in->base != INSN_NONE)
		write_sum(in, in->reg, in->base, in->displacement);
	else
		encoding_write(insn, in->reg);
	if (in->rip_relative) {
		insn->is_address = 1;
		insn->target = in->vaddr + (uint64_t)(in->code.at - in->begin) +
			       (uint64_t)in->displacement;
	}
}

/* Instructions with a ModRM byte. */
static int modrm_group(struct encoding *in)
{
	encoding_modrm(in);
	switch (in->opcode) {
	case 0x80:
	case 0x83:
		encoding_immediate(in, 1);
		group_1(in);
		return 0;
	case 0x81:
		encoding_immediate(in, encoding_immediate_bytes(in));
		group_1(in);
		return 0;
	case 0x89:
	case 0x8b:
		move(in);
		return 0;
	case 0x8d:
		lea(in);
		return 0;
	case 0x8f:
		if (in->modrm >> 3 & 7)
			return INSN_E_UNKNOWN;
		return stack_operation(in, INSN_POP, in->rm == ENCODING_NO_RM ? INSN_NONE : in->rm);
	case 0xf6:
	case 0xf7:
		return group_3(in);
	default:
		return group_5(in);
	}
}

static int jump_group(struct encoding *in)
{
	struct insn *insn = in->insn;
	uint8_t opcode = in->opcode;

	if (in->size16 && !(in->rex & 8)) /* Intel and AMD decode it differently */
		return INSN_E_UNKNOWN;
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		read_target(in, INSN_BRANCH, 1);
	else if (opcode == 0xeb)
		read_target(in, INSN_JUMP, 1);
	else if (opcode == 0xe9)
		read_target(in, INSN_JUMP, 4);
	else if (opcode == 0xe8)
		read_target(in, INSN_CALL, 4);
	else if (opcode == 0xc3)
		insn->kind = INSN_RET;
	else if (opcode == 0xc2) /* it pops its caller's arguments */
		return INSN_E_UNKNOWN;
	else
		insn->kind = INSN_STOP; /* int3, hlt */
	/* A call of the next instruction only reads the program counter. */
	return insn->kind == INSN_CALL && !in->immediate ? INSN_E_UNKNOWN : 0;
}

static int one_byte_group(struct encoding *in)
{
	uint8_t opcode = in->opcode, low = (uint8_t)((opcode & 7) | (in->rex & 1) << 3);

	switch (opcode & 0xf8) {
	case 0x50:
		return stack_operation(in, INSN_PUSH, low);
	case 0x58:
		return stack_operation(in, INSN_POP, low);
	case 0x80:
	case 0x88:
		return modrm_group(in);
	default:
		break;
	}
	switch (opcode) {
	case 0x68:
	case 0x6a:
		encoding_immediate(in, opcode == 0x6a ? 1 : 4);
		return stack_operation(in, INSN_PUSH, INSN_NONE);
	case 0x9c:
		return stack_operation(in, INSN_PUSH, INSN_NONE);
	case 0x9d:
		return stack_operation(in, INSN_POP, INSN_NONE);
	case 0xc9:
		in->insn->kind = INSN_LEAVE;
		return in->size16;
	case 0xf6:
	case 0xf7:
	case 0xff:
		return modrm_group(in);
	default:
		return jump_group(in);
	}
}

static int two_byte_group(struct encoding *in)
{
	switch (in->opcode) {
	case 0x0b: /* ud2 */
	case 0xb9:
		in->insn->kind = INSN_STOP;
		return 0;
	case 0xba: /* bts, btr, btc with an immediate, and bt, which writes nothing */
		encoding_modrm(in);
		encoding_immediate(in, 1);
		if ((in->modrm >> 3 & 7) != 4)
			encoding_write_rm(in);
		return 0;
	default:
		read_target(in, INSN_BRANCH, 4);
		return in->size16;
	}
}

int groups_decode(struct encoding *in)
{
	return in->map == MAP_PRIMARY ? one_byte_group(in) : two_byte_group(in);
}
