/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate - evaluates unwind rules and libdw's operations in a pseudo-random machine state
 */

#include "tests/oracle/evaluate.h"

#include <dwarf.h>

#define FP    6
#define SP    7
#define PC    16
#define STACK 16

struct evaluation {
	uint64_t stack[STACK];
	unsigned depth;
	struct value value; /* MEMORY unless an operation changes it */
};

static uint64_t mix(uint64_t word)
{
	word ^= word >> 31;
	word *= 0x7fb5d329728ea185ull;
	word ^= word >> 27;
	word *= 0x81dadef4bc2dd44dull;
	return word ^ word >> 33;
}

static uint64_t memory_at(uint64_t address)
{
	return mix(address + 0x9e3779b97f4a7c15ull);
}

void machine_fill(struct machine *machine, uint64_t seed, uint64_t pc)
{
	for (uint64_t i = 0; i < EVALUATE_REGISTERS; i++)
		machine->registers[i] = mix(seed * EVALUATE_REGISTERS + i + 1);
	machine->registers[PC] = pc;
	machine->cfa = 0;
}

static int push(struct evaluation *at, uint64_t number)
{
	if (at->depth == STACK)
		return -1;
	at->stack[at->depth++] = number;
	return 0;
}

static int push_register(struct evaluation *at, const struct machine *machine, uint64_t number,
			 uint64_t offset)
{
	return number < EVALUATE_REGISTERS ? push(at, machine->registers[number] + offset) : -1;
}

static int binary(struct evaluation *at, uint8_t operation)
{
	uint64_t a, b;

	if (at->depth < 2)
		return -1;
	b = at->stack[--at->depth];
	a = at->stack[--at->depth];
	switch (operation) {
	case DW_OP_plus:
		return push(at, a + b);
	case DW_OP_minus:
		return push(at, a - b);
	case DW_OP_mul:
		return push(at, a * b);
	case DW_OP_and:
		return push(at, a & b);
	case DW_OP_shl:
		return push(at, b < 64 ? a << b : 0);
	case DW_OP_ge:
		return push(at, (int64_t)a >= (int64_t)b);
	default:
		return -1;
	}
}

static int unary(struct evaluation *at, const Dwarf_Op *op)
{
	uint64_t *top = &at->stack[at->depth - 1];

	if (!at->depth)
		return -1;
	switch (op->atom) {
	case DW_OP_deref:
		*top = memory_at(*top);
		return 0;
	case DW_OP_plus_uconst:
		*top += op->number;
		return 0;
	case DW_OP_stack_value:
		at->value.kind = VALUE_PLAIN;
		return 0;
	default:
		return binary(at, op->atom);
	}
}

static int execute(struct evaluation *at, const struct machine *machine, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(at, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(at, machine, atom - DW_OP_breg0, op->number);
	if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		return push(at, op->number);
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		at->value = (struct value){VALUE_REGISTER, atom - DW_OP_reg0};
		return 0;
	}
	switch (atom) {
	case DW_OP_bregx:
		return push_register(at, machine, op->number, op->number2);
	case DW_OP_regx:
		at->value = (struct value){VALUE_REGISTER, op->number};
		return 0;
	case DW_OP_call_frame_cfa:
		return push(at, machine->cfa);
	case DW_OP_nop:
		return 0;
	default:
		return unary(at, op);
	}
}

struct value evaluate_operations(const struct machine *machine, const Dwarf_Op *ops, size_t nops,
				 bool is_cfa)
{
	struct evaluation at = {.value = {VALUE_MEMORY, 0}};

	if (!nops)
		return (struct value){ops ? VALUE_UNDEFINED : VALUE_SAME, 0};
	for (size_t i = 0; i < nops; i++)
		if (execute(&at, machine, &ops[i]) < 0)
			return (struct value){VALUE_UNKNOWN, ops[i].atom};
	if (at.value.kind == VALUE_REGISTER)
		return at.value;
	if (!at.depth)
		return (struct value){VALUE_UNKNOWN, 0};
	at.value.number = at.stack[at.depth - 1];
	if (is_cfa)
		at.value.kind = VALUE_PLAIN;
	return at.value;
}

struct value evaluate_cfa(const struct machine *machine, const struct tm_rule *rule)
{
	const uint64_t *registers = machine->registers;
	uint64_t offset = (uint64_t)(int64_t)rule->cfa_offset, add = rule->cfa_add;

	switch ((enum tm_rule_cfa)rule->cfa) {
	case TM_CFA_SP:
		return (struct value){VALUE_PLAIN, registers[SP] + offset};
	case TM_CFA_FP:
		return (struct value){VALUE_PLAIN, registers[FP] + offset};
	case TM_CFA_REGISTER:
		return (struct value){VALUE_PLAIN, registers[rule->base] + offset};
	case TM_CFA_DEREF_SP:
		return (struct value){VALUE_PLAIN, memory_at(registers[SP] + offset) + add};
	case TM_CFA_DEREF_FP:
		return (struct value){VALUE_PLAIN, memory_at(registers[FP] + offset) + add};
	case TM_CFA_DEREF_REGISTER:
		return (struct value){VALUE_PLAIN, memory_at(registers[rule->base] + offset) + add};
	case TM_CFA_DEREF_INDEXED:
		return (struct value){
			VALUE_PLAIN,
			memory_at(registers[SP] + 8 * registers[rule->base] + offset) + add};
	case TM_CFA_PLT:
		return (struct value){VALUE_PLAIN, registers[SP] + offset +
							   ((registers[PC] & 15) >= add ? 8 : 0)};
	case TM_CFA_NONE:
	case TM_CFA_END:
	case TM_CFA_N:
		break;
	}
	return (struct value){VALUE_UNDEFINED, 0};
}

struct value evaluate_saved(const struct machine *machine, uint64_t cfa, enum tm_rule_saved saved,
			    int32_t offset)
{
	uint64_t distance = (uint64_t)(int64_t)offset;

	switch (saved) {
	case TM_SAVED_SAME:
		return (struct value){VALUE_SAME, 0};
	case TM_SAVED_CFA:
		return (struct value){VALUE_MEMORY, cfa + distance};
	case TM_SAVED_SP:
		return (struct value){VALUE_MEMORY, machine->registers[SP] + distance};
	case TM_SAVED_FP:
		return (struct value){VALUE_MEMORY, machine->registers[FP] + distance};
	case TM_SAVED_REGISTER:
		return (struct value){VALUE_REGISTER, distance};
	case TM_SAVED_NOWHERE:
	case TM_SAVED_N:
		break;
	}
	return (struct value){VALUE_UNDEFINED, 0};
}
