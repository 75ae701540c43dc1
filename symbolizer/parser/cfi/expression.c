/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression - evaluates a DWARF expression symbolically, as far as an unwind rule can express it
 */

#include "symbolizer/parser/cfi/expression.h"

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/x86_64.h"

#define OP_DEREF       0x06
#define OP_DUP         0x12
#define OP_AND         0x1a
#define OP_MINUS       0x1c
#define OP_MUL         0x1e
#define OP_PLUS        0x22
#define OP_PLUS_UCONST 0x23
#define OP_SHL         0x24
#define OP_GE          0x2a
#define OP_LIT0        0x30
#define OP_LIT31       0x4f
#define OP_BREG0       0x70
#define OP_BREG31      0x8f
#define OP_BREGX       0x92
#define OP_NOP         0x96

struct stack {
	struct expression values[EXPRESSION_DEPTH];
	uint32_t depth;
};

static int push(struct stack *stack, struct expression value)
{
	if (stack->depth == EXPRESSION_DEPTH)
		return EXPRESSION_E_OTHER;
	stack->values[stack->depth++] = value;
	return 0;
}

static struct expression number_value(int64_t value)
{
	return (struct expression){
		.base = EXPRESSION_NONE, .index = EXPRESSION_NONE, .offset = value};
}

static int push_register(struct stack *stack, uint64_t number, int64_t offset)
{
	if (number >= X86_64_REGISTERS)
		return EXPRESSION_E_OTHER;
	return push(stack, (struct expression){.base = (uint16_t)number,
					       .index = EXPRESSION_NONE,
					       .offset = offset});
}

static bool is_number(const struct expression *value)
{
	return value->base == EXPRESSION_NONE && value->index == EXPRESSION_NONE &&
	       !value->is_deref;
}

static int add_number(struct expression *to, int64_t value)
{
	int64_t *part = to->is_deref ? &to->add : &to->offset;

	return __builtin_add_overflow(*part, value, part) ? EXPRESSION_E_OTHER : 0;
}

/* base + scaled index; neither is a dereference */
static int add_index(struct expression *to, const struct expression *other)
{
	if (to->is_deref || other->is_deref || to->index != EXPRESSION_NONE ||
	    other->base != EXPRESSION_NONE)
		return EXPRESSION_E_OTHER;
	to->index = other->index;
	to->scale = other->scale;
	return add_number(to, other->offset);
}

static int add(struct expression *to, struct expression other)
{
	struct expression swapped;

	if (is_number(&other))
		return add_number(to, other.offset);
	if (is_number(to) || (to->base == EXPRESSION_NONE && other.index == EXPRESSION_NONE)) {
		swapped = *to;
		*to = other;
		return is_number(&swapped) ? add_number(to, swapped.offset)
					   : add_index(to, &swapped);
	}
	return add_index(to, &other);
}

static int multiply(struct expression *to, struct expression other)
{
	struct expression factor = other;

	if (is_number(to)) {
		factor = *to;
		*to = other;
	}
	if (!is_number(&factor))
		return EXPRESSION_E_OTHER;
	if (is_number(to))
		return __builtin_mul_overflow(to->offset, factor.offset, &to->offset)
			       ? EXPRESSION_E_OTHER
			       : 0;
	if (to->is_deref || to->offset || to->index != EXPRESSION_NONE ||
	    to->base == EXPRESSION_CFA || factor.offset <= 0 || factor.offset > X86_64_WORD)
		return EXPRESSION_E_OTHER;
	to->index = to->base;
	to->base = EXPRESSION_NONE;
	to->scale = (uint16_t)factor.offset;
	return 0;
}

static int dereference(struct expression *value)
{
	if (value->is_deref || value->base == EXPRESSION_NONE)
		return EXPRESSION_E_OTHER;
	value->is_deref = true;
	value->add = 0;
	return 0;
}

static int combine(struct stack *stack, uint8_t operation)
{
	struct expression *to, other;

	if (stack->depth < 2)
		return EXPRESSION_E_OTHER;
	other = stack->values[--stack->depth];
	to = &stack->values[stack->depth - 1];
	switch (operation) {
	case OP_PLUS:
		return add(to, other);
	case OP_MINUS:
		return is_number(&other) && other.offset != INT64_MIN
			       ? add_number(to, -other.offset)
			       : EXPRESSION_E_OTHER;
	case OP_MUL:
		return multiply(to, other);
	default: /* OP_SHL */
		return is_number(&other) && other.offset >= 0 && other.offset < 62
			       ? multiply(to, number_value((int64_t)1 << other.offset))
			       : EXPRESSION_E_OTHER;
	}
}

/* const1u 0x08, const1s 0x09, ... const8s 0x0f, constu 0x10, consts 0x11 */
static int64_t constant(uint8_t operation, struct cursor *code)
{
	uint32_t bytes = 1u << (operation - 0x08) / 2;
	uint64_t value;

	if (operation == 0x10)
		return (int64_t)cursor_unsigned(code);
	if (operation == 0x11)
		return cursor_signed(code);
	value = cursor_number(code, bytes);
	if (operation & 1 && bytes < 8 && value >> (8 * bytes - 1) & 1)
		value |= ~0ull << 8 * bytes;
	return (int64_t)value;
}

static int execute(struct stack *stack, struct cursor *code)
{
	uint8_t operation = cursor_byte(code);
	struct expression *top = stack->depth ? &stack->values[stack->depth - 1] : NULL;
	uint64_t number;

	if (operation >= OP_LIT0 && operation <= OP_LIT31)
		return push(stack, number_value(operation - OP_LIT0));
	if (operation >= OP_BREG0 && operation <= OP_BREG31)
		return push_register(stack, operation - OP_BREG0, cursor_signed(code));
	if (operation >= 0x08 && operation <= 0x11)
		return push(stack, number_value(constant(operation, code)));
	switch (operation) {
	case OP_BREGX:
		number = cursor_unsigned(code);
		return push_register(stack, number, cursor_signed(code));
	case OP_DEREF:
		return top ? dereference(top) : EXPRESSION_E_OTHER;
	case OP_DUP:
		return top ? push(stack, *top) : EXPRESSION_E_OTHER;
	case OP_PLUS_UCONST:
		return top ? add_number(top, (int64_t)cursor_unsigned(code)) : EXPRESSION_E_OTHER;
	case OP_PLUS:
	case OP_MINUS:
	case OP_MUL:
	case OP_SHL:
		return combine(stack, operation);
	case OP_NOP:
		return 0;
	default:
		return EXPRESSION_E_OTHER;
	}
}

int expression_evaluate(const uint8_t *code, uint32_t bytes, bool starts_with_cfa,
			struct expression *ret_value)
{
	struct cursor cursor = cursor_of(code, bytes);
	struct stack stack = {.depth = 0};
	int r = 0;

	if (starts_with_cfa)
		r = push(&stack,
			 (struct expression){.base = EXPRESSION_CFA, .index = EXPRESSION_NONE});
	while (!r && cursor_left(&cursor))
		r = execute(&stack, &cursor);
	if (r || cursor.is_past_end || !stack.depth)
		return EXPRESSION_E_OTHER;
	*ret_value = stack.values[stack.depth - 1];
	return 0;
}

int expression_match_plt(const uint8_t *code, uint32_t bytes, int64_t *ret_offset,
			 uint8_t *ret_pushed)
{
	/* ... + ((rip & 15) >= N) << 3 */
	static const uint8_t head[] = {OP_BREG0 + X86_64_RA, 0, OP_LIT0 + 15, OP_AND};
	static const uint8_t tail[] = {OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS};
	struct cursor cursor = cursor_of(code, bytes);
	uint8_t literal;

	if (cursor_byte(&cursor) != OP_BREG0 + X86_64_SP)
		return EXPRESSION_E_OTHER;
	*ret_offset = cursor_signed(&cursor);
	if (cursor.is_past_end || cursor_left(&cursor) != sizeof(head) + 1 + sizeof(tail) ||
	    memcmp(cursor.at, head, sizeof(head)) != 0)
		return EXPRESSION_E_OTHER;
	literal = cursor.at[sizeof(head)];
	if (literal < OP_LIT0 || literal > OP_LIT0 + 15 ||
	    memcmp(cursor.at + sizeof(head) + 1, tail, sizeof(tail)) != 0)
		return EXPRESSION_E_OTHER;
	*ret_pushed = literal - OP_LIT0;
	return 0;
}
