/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constant_stores - what functions store at fixed addresses, as far as it is constant
 */

#include "symbolizer/parser/x86/constant_stores.h"

#include <stdlib.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/decode.h"

#define REGISTERS 16u

enum mark {
	MARK_TARGET = 1, /* a jump leads here, or a function begins */
	MARK_FOUND = 2,  /* followed when the targets were searched, */
	MARK_READ = 4,   /* and when the stores were read */
};

struct operand {
	bool is_known;
	uint64_t value;
};

struct reader {
	const struct constant_stores *stores;
	uint64_t bytes; /* of the code that is followed */
	uint8_t *marks; /* owned; enum mark, of each byte */
	uint32_t *open; /* owned; where paths begin that are still to be followed */
	uint32_t open_count, open_capacity;
	enum mark pass; /* MARK_FOUND, MARK_READ */
	struct operand registers[REGISTERS];
};

/* The instruction under the path. */
struct place {
	struct encoding in;
	struct insn insn;
	uint64_t next; /* the address behind it */
};

static const struct operand unknown = {false, 0};

static void forget(struct reader *reader)
{
	for (uint32_t i = 0; i < REGISTERS; i++)
		reader->registers[i] = unknown;
}

static bool is_memory(const struct encoding *in)
{
	return in->rm == ENCODING_NO_RM;
}

static struct operand address_of(const struct reader *reader, const struct place *place)
{
	const struct encoding *in = &place->in;
	struct operand address = unknown;

	if (in->address32)
		return unknown;
	if (in->rip_relative)
		address = (struct operand){true, place->next};
	else if (in->base < REGISTERS)
		address = reader->registers[in->base];
	address.value += (uint64_t)in->displacement;
	return address;
}

static struct operand cut(struct operand operand, uint32_t bytes)
{
	if (bytes < 8)
		operand.value &= (1ull << 8 * bytes) - 1;
	return operand;
}

static void store(const struct reader *reader, const struct place *place, struct operand value,
		  uint32_t bytes)
{
	struct operand address = address_of(reader, place);
	struct constant_store store = {address.value, cut(value, bytes).value, bytes,
				       value.is_known};

	if (address.is_known)
		reader->stores->take(reader->stores->context, &store);
}

/* Numbers of 4 bytes fill a register, smaller ones do not. */
static void set(struct reader *reader, uint32_t number, struct operand value, uint32_t bytes)
{
	reader->registers[number % REGISTERS] = bytes < 4 ? unknown : cut(value, bytes);
}

static void move(struct reader *reader, const struct place *place, struct operand value,
		 uint32_t bytes)
{
	if (is_memory(&place->in))
		store(reader, place, value, bytes);
	else
		set(reader, place->in.rm, value, bytes);
}

/* ah, ch, dh and bh are not known. */
static struct operand source_of(const struct reader *reader, const struct encoding *in,
				uint32_t bytes)
{
	if (bytes == 1 && !in->has_rex && in->reg >= 4)
		return unknown;
	return reader->registers[in->reg % REGISTERS];
}

static void other(struct reader *reader, const struct place *place)
{
	if (is_memory(&place->in))
		store(reader, place, unknown, CONSTANT_STORES_UNKNOWN);
	forget(reader);
}

/* cmp, test, push, nop */
static bool changes_nothing(const struct encoding *in)
{
	uint32_t operation = in->modrm >> 3 & 7;

	switch (in->opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return operation == 7;
	case 0xf6:
	case 0xf7:
		return operation == 0;
	case 0xff:
		return operation == 6;
	case 0x90:
		return !(in->rex & 1); /* else xchg */
	case 0x84:
	case 0x85:
	case 0xa8:
	case 0xa9:
		return true;
	default:
		return (in->opcode & 0xf8) == 0x38 || (in->opcode & 0xf8) == 0x50;
	}
}

static void evaluate(struct reader *reader, const struct place *place)
{
	const struct encoding *in = &place->in;
	const struct operand immediate = {true, (uint64_t)in->immediate};
	uint32_t bytes = in->rex & 8 ? 8 : in->size16 ? 2 : 4;

	if (in->vex || in->map != MAP_PRIMARY) {
		other(reader, place);
		return;
	}
	bytes = in->opcode == 0xc6 || in->opcode == 0x88 ? 1 : bytes;
	switch (in->opcode) {
	case 0xc6:
	case 0xc7:
		move(reader, place, immediate, bytes);
		break;
	case 0x88:
	case 0x89:
		move(reader, place, source_of(reader, in, bytes), bytes);
		break;
	case 0x8b:
		set(reader, in->reg,
		    is_memory(in) ? unknown : reader->registers[in->rm % REGISTERS], bytes);
		break;
	case 0x8d:
		set(reader, in->reg, address_of(reader, place), bytes);
		break;
	case 0x31:
	case 0x33:
		if (in->reg == in->rm)
			set(reader, in->reg, (struct operand){true, 0}, bytes);
		else
			other(reader, place);
		break;
	default:
		if ((in->opcode & 0xf8) == 0xb8)
			set(reader, (in->opcode & 7u) | (in->rex & 1u) << 3, immediate, bytes);
		else if (!changes_nothing(in))
			other(reader, place);
		break;
	}
}

static int open_path(struct reader *reader, uint64_t vaddr)
{
	uint64_t at = vaddr - reader->stores->code->vaddr;
	uint32_t *grown;

	if (at >= reader->bytes)
		return 0;
	reader->marks[at] |= MARK_TARGET;
	if (reader->marks[at] & reader->pass)
		return 0;
	grown = grow(reader->open, reader->open_count, &reader->open_capacity, sizeof(*grown));
	if (!grown)
		return PARSER_FAILED;
	reader->open = grown;
	reader->open[reader->open_count++] = (uint32_t)at;
	return 0;
}

/* Whether the instruction is the next one on the path. */
static bool read_place(struct reader *reader, uint64_t at, struct place *ret_place)
{
	const struct section *code = reader->stores->code;

	if (at >= reader->bytes || reader->marks[at] & reader->pass)
		return false;
	reader->marks[at] |= (uint8_t)reader->pass;
	if (decode_encoding(code->bytes + at, code->bytes + reader->bytes, code->vaddr + at,
			    &ret_place->in, &ret_place->insn))
		return false;
	ret_place->next = code->vaddr + at + ret_place->insn.bytes;
	return true;
}

static int follow(struct reader *reader, uint64_t at)
{
	struct place place;
	int r = 0;

	while (!r && read_place(reader, at, &place)) {
		if (reader->marks[at] & MARK_TARGET)
			forget(reader);
		at += place.insn.bytes;
		switch (place.insn.kind) {
		case INSN_BRANCH:
			r = open_path(reader, place.insn.target);
			break;
		case INSN_JUMP:
			return open_path(reader, place.insn.target);
		case INSN_CALL:
			forget(reader);
			break;
		case INSN_RET:
		case INSN_STOP:
		case INSN_JUMP_INDIRECT:
			return 0;
		default:
			if (reader->pass == MARK_READ)
				evaluate(reader, &place);
			break;
		}
	}
	return r;
}

static int follow_all(struct reader *reader, const uint64_t *functions, uint32_t count)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < count; i++) {
		r = open_path(reader, functions[i]);
		while (!r && reader->open_count)
			r = follow(reader, reader->open[--reader->open_count]);
	}
	return r;
}

int constant_stores_read(const struct constant_stores *stores, const uint64_t *functions,
			 uint32_t count)
{
	uint64_t bytes = stores->code->size;
	struct reader reader = {.stores = stores, .pass = MARK_FOUND};
	int r = PARSER_FAILED;

	reader.bytes = bytes < CONSTANT_STORES_CODE_MAX ? bytes : CONSTANT_STORES_CODE_MAX;
	reader.marks = calloc(1, reader.bytes + 1);
	if (reader.marks)
		r = follow_all(&reader, functions, count);
	reader.pass = MARK_READ;
	if (!r)
		r = follow_all(&reader, functions, count);
	free(reader.open);
	free(reader.marks);
	return r;
}
