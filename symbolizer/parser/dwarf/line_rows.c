/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_rows - runs a line program, and notes the row of each requested address
 */

#include <string.h>

#include "shared/search.h"
#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/dwarf/line_program.h"

#define SKIM_BYTES 8 /* the longest opcode that is skimmed over is shorter */

struct row {
	uint64_t address;
	uint32_t file, line;
};

struct run {
	struct line_program *program;
	struct cursor cursor;
	const struct places *places;
	const uint32_t *wanted;
	uint32_t count, left; /* left: those that have no row yet */
	uint32_t next;        /* the first one that has no row of this sequence yet, */
	uint64_t next_vaddr;  /* and its address; UINT64_MAX: none */
	struct place_line *lines;
	struct row row;  /* the registers of the machine */
	struct row last; /* the row before, in this sequence */
	bool in_sequence;
};

struct wanted_places {
	const uint64_t *vaddrs;
	const uint32_t *wanted;
};

static bool is_behind(const void *list, uint32_t index, uint64_t key)
{
	const struct wanted_places *places = list;

	return places->vaddrs[places->wanted[index]] >= key;
}

static void note_next(struct run *run)
{
	run->next_vaddr =
		run->next < run->count ? run->places->vaddrs[run->wanted[run->next]] : UINT64_MAX;
}

/* The last row holds up to the address of the current one. Where sequences overlap, the first one
 * counts. */
static void note_last(struct run *run)
{
	while (run->next < run->count && run->next_vaddr < run->row.address) {
		struct place_line *line = &run->lines[run->next++];

		run->left -= !line->is_known;
		if (!line->is_known)
			*line = (struct place_line){run->last.file, run->last.line, true};
		note_next(run);
	}
}

static void find_next(struct run *run)
{
	const struct wanted_places places = {run->places->vaddrs, run->wanted};

	run->next = search_first(&places, run->count, run->row.address, is_behind);
	note_next(run);
}

static void begin_sequence(struct run *run)
{
	run->in_sequence = true;
	if (run->row.address) {
		find_next(run);
	} else {
		run->next = run->count; /* it was discarded: no place is of it */
		note_next(run);
	}
}

/* Most rows hold no requested address. */
static inline void add_row(struct run *run)
{
	if (!run->in_sequence)
		begin_sequence(run);
	else if (run->row.address > run->next_vaddr)
		note_last(run);
	else if (run->row.address < run->last.address)
		find_next(run);
	run->last = run->row;
}

static void end_sequence(struct run *run)
{
	if (run->in_sequence)
		note_last(run);
	run->in_sequence = false;
	run->last.address = 0;
	run->row = (struct row){.file = 1, .line = 1};
}

static void extended(struct run *run)
{
	uint64_t bytes = cursor_unsigned(&run->cursor);
	struct cursor own = run->cursor;

	cursor_skip(&run->cursor, bytes);
	switch (bytes ? cursor_byte(&own) : 0) {
	case DW_LNE_end_sequence:
		end_sequence(run);
		break;
	case DW_LNE_set_address:
		run->row.address = cursor_number(&own, bytes == 5 ? 4 : 8);
		break;
	default: /* DW_LNE_define_file: nobody writes it */
		break;
	}
}

static void advance(struct run *run, uint64_t operations)
{
	run->row.address += operations * run->program->instruction;
}

static void standard(struct run *run, uint8_t opcode)
{
	const struct line_program *program = run->program;

	switch (opcode) {
	case DW_LNS_copy:
		add_row(run);
		break;
	case DW_LNS_advance_pc:
		advance(run, cursor_unsigned(&run->cursor));
		break;
	case DW_LNS_advance_line:
		run->row.line += (uint32_t)cursor_signed(&run->cursor);
		break;
	case DW_LNS_set_file:
		run->row.file = (uint32_t)cursor_unsigned(&run->cursor);
		break;
	case DW_LNS_set_column:
		(void)cursor_unsigned(&run->cursor);
		break;
	case DW_LNS_negate_stmt:
		break;
	case DW_LNS_const_add_pc:
		advance(run, ((uint32_t)UINT8_MAX - program->base_opcode) / program->range);
		break;
	case DW_LNS_fixed_advance_pc:
		run->row.address += cursor_number(&run->cursor, 2);
		break;
	default:
		for (uint32_t i = 0; i < program->lengths[opcode]; i++)
			(void)cursor_unsigned(&run->cursor);
		break;
	}
}

/* What special opcodes do is the same in nearly all programs of a file. */
static void make_steps(struct line_program *program)
{
	uint32_t numbers = (uint32_t)program->instruction << 24 |
			   (uint32_t)program->base_opcode << 16 | (uint32_t)program->range << 8 |
			   (uint8_t)program->base_line;

	if (program->steps_of == numbers)
		return;
	program->steps_of = numbers;
	memset(program->steps, 0, sizeof(program->steps)); /* DW_LNS_copy advances nothing */
	for (uint32_t i = program->base_opcode; i <= UINT8_MAX; i++) {
		uint32_t number = i - program->base_opcode;

		program->steps[i] = (struct line_step){
			number / program->range * program->instruction,
			(uint32_t)(program->base_line + (int32_t)(number % program->range))};
	}
}

static inline void special(struct run *run, uint8_t opcode)
{
	const struct line_step *step = &run->program->steps[opcode];

	run->row.address += step->bytes;
	run->row.line += step->lines;
	add_row(run);
}

/* An opcode that adds no row, as most of them are: its operands are short.
 * Return: its bytes; 0: that is not for here. */
static inline uint32_t skim_standard(const struct line_program *program, const uint8_t *at,
				     struct row *row)
{
	if (at[1] >= 0x80)
		return at[0] == DW_LNS_negate_stmt;
	switch (at[0]) {
	case 0: /* extended */
		return at[1] < SKIM_BYTES - 1 && at[2] == DW_LNE_set_discriminator ? at[1] + 2u : 0;
	case DW_LNS_advance_pc:
		row->address += (uint64_t)at[1] * program->instruction;
		return 2;
	case DW_LNS_advance_line:
		row->line += (uint32_t)(at[1] ^ 0x40) - 0x40; /* as LEB128 has signs */
		return 2;
	case DW_LNS_set_file:
		row->file = at[1];
		return 2;
	case DW_LNS_set_column:
		return 2;
	case DW_LNS_negate_stmt:
		return 1;
	default:
		return 0;
	}
}

/* Runs on while rows hold no requested address: up to an opcode that needs a closer look, and not
 * to the end. The machine's registers are those of the CPU here. */
static void skim(struct run *run)
{
	const struct line_program *program = run->program;
	const uint8_t *at = run->cursor.at, *end = run->cursor.end;
	const uint64_t next_vaddr = run->next_vaddr;
	struct row row = run->row, last = run->last;

	while (end - at > SKIM_BYTES) {
		const struct line_step *step = &program->steps[*at];
		uint32_t bytes = 1;

		if (*at < program->base_opcode && *at != DW_LNS_copy) {
			bytes = skim_standard(program, at, &row);
			if (!bytes)
				break;
		} else {
			uint64_t address = row.address + step->bytes;

			if (address > next_vaddr || address < last.address)
				break;
			row.address = address;
			row.line += step->lines;
			last = row;
		}
		at += bytes;
	}
	run->cursor.at = at;
	run->row = row;
	run->last = last;
}

void line_program_run(struct line_program *program, const struct places *places,
		      const uint32_t *wanted, uint32_t count, struct place_line *lines)
{
	struct run run = {.program = program,
			  .cursor = program->cursor,
			  .places = places,
			  .wanted = wanted,
			  .count = count,
			  .left = count,
			  .lines = lines,
			  .row = {.file = 1, .line = 1}};

	for (uint32_t i = 0; i < count; i++)
		lines[i].is_known = false;
	if (cursor_left(&run.cursor))
		make_steps(program);
	while (run.left && cursor_left(&run.cursor)) {
		uint8_t opcode;

		if (run.in_sequence)
			skim(&run);
		opcode = *run.cursor.at++;
		if (opcode >= program->base_opcode)
			special(&run, opcode);
		else if (opcode)
			standard(&run, opcode);
		else
			extended(&run);
	}
	program->dwarf->malformed |= run.cursor.is_past_end;
}
