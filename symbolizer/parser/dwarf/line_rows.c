/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_rows - runs a line program, and notes the row of each requested address
 */

#include "shared/search.h"
#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/dwarf/line_program.h"

struct row {
	uint64_t address;
	uint32_t file, line;
};

struct run {
	struct line_program *program;
	struct cursor cursor;
	const struct places *places;
	const uint32_t *wanted;
	uint32_t count, next; /* next: the first one that has no row of this sequence yet */
	struct place_line *lines;
	struct row row;  /* the registers of the machine */
	struct row last; /* the row before, in this sequence */
	bool in_sequence, is_discarded;
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

/* The last row holds up to the address of the current one. Where sequences overlap, the row that
 * begins last counts. */
static void note_last(struct run *run)
{
	while (run->next < run->count) {
		uint32_t place = run->wanted[run->next];
		struct place_line *line = &run->lines[place];

		if (run->places->vaddrs[place] >= run->row.address)
			return;
		run->next++;
		if (!line->is_known || line->address <= run->last.address)
			*line = (struct place_line){run->last.address, run->last.file,
						    run->last.line, true};
	}
}

static void add_row(struct run *run)
{
	bool begins = !run->in_sequence;

	if (begins)
		run->is_discarded = !run->row.address;
	if (run->is_discarded) {
		run->in_sequence = true;
		return;
	}
	if (begins || run->row.address < run->last.address) {
		const struct wanted_places places = {run->places->vaddrs, run->wanted};

		run->next = search_first(&places, run->count, run->row.address, is_behind);
	} else {
		note_last(run);
	}
	run->in_sequence = true;
	run->last = run->row;
}

static void end_sequence(struct run *run)
{
	if (run->in_sequence && !run->is_discarded)
		note_last(run);
	run->in_sequence = false;
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

static void special(struct run *run, uint8_t opcode)
{
	uint32_t number = (uint32_t)opcode - run->program->base_opcode;

	advance(run, number / run->program->range);
	run->row.line +=
		(uint32_t)(run->program->base_line + (int32_t)(number % run->program->range));
	add_row(run);
}

void line_program_run(struct line_program *program, const struct places *places,
		      const uint32_t *wanted, uint32_t count, struct place_line *lines)
{
	struct run run = {.program = program,
			  .cursor = program->cursor,
			  .places = places,
			  .wanted = wanted,
			  .count = count,
			  .lines = lines,
			  .row = {.file = 1, .line = 1}};

	for (uint32_t i = 0; i < count; i++)
		lines[wanted[i]].is_known = false;
	while (cursor_left(&run.cursor)) {
		uint8_t opcode = cursor_byte(&run.cursor);

		if (opcode >= program->base_opcode)
			special(&run, opcode);
		else if (opcode)
			standard(&run, opcode);
		else
			extended(&run);
	}
	program->dwarf->malformed |= run.cursor.is_past_end;
}
