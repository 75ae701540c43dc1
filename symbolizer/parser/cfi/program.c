/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program - runs the call frame instructions of one FDE
 */

#include "symbolizer/parser/cfi/program.h"

#include <stdlib.h>

#include "symbolizer/parser/cfi/instruction.h"
#include "symbolizer/parser/parser.h"

/* Return: 0, INSTRUCTION_E_INVALID, or what a row returned. */
static int run_code(struct execution *execution, const uint8_t *bytes, uint32_t count)
{
	struct cursor code = cursor_of(bytes, count);
	int r = 0;

	while (!r && cursor_left(&code) &&
	       (!execution->initial || execution->at < execution->limit)) {
		r = instruction_execute(execution, &code);
		if (!r && code.is_past_end)
			r = INSTRUCTION_E_INVALID;
	}
	return r;
}

int program_open(struct program *program, const struct frame_sections *frames, row_fn take_row,
		 void *context)
{
	uint64_t count = frames->cies.count + 1ull;

	*program = (struct program){.frames = frames, .take_row = take_row, .context = context};
	program->initial_rows = calloc(count, sizeof(*program->initial_rows));
	program->cie_states = calloc(count, sizeof(*program->cie_states));
	return program->initial_rows && program->cie_states ? 0 : PARSER_FAILED;
}

/* The row before an FDE's own instructions; NULL: the CIE's instructions are not understood. */
static const struct row *initial_row(struct program *program, struct execution *execution,
				     uint32_t cie)
{
	uint8_t *state = &program->cie_states[cie];

	if (*state == PROGRAM_CIE_NOT_RUN) {
		*state = run_code(execution, execution->cie->code, execution->cie->code_bytes)
				 ? PROGRAM_CIE_INVALID
				 : PROGRAM_CIE_RUN;
		program->initial_rows[cie] = execution->row;
	}
	return *state == PROGRAM_CIE_RUN ? &program->initial_rows[cie] : NULL;
}

int program_run(struct program *program, const struct code_range *fde, uint64_t limit,
		bool *ret_refused)
{
	struct execution execution = {.frames = program->frames,
				      .take_row = program->take_row,
				      .context = program->context,
				      .stack = program->stack,
				      .cie = &program->frames->cies.list[fde->index],
				      .fde = fde,
				      .limit = limit};
	int r;

	*ret_refused = true;
	execution.initial = initial_row(program, &execution, fde->index);
	if (!execution.initial)
		return program->take_row(program->context, 0, NULL);
	execution.row = *execution.initial;
	execution.depth = 0;
	execution.is_changed = true;
	r = run_code(&execution, fde->cfi, fde->cfi_bytes);
	if (r == INSTRUCTION_E_INVALID)
		return program->take_row(program->context, execution.at, NULL);
	if (r)
		return r;
	*ret_refused = false;
	if (execution.at >= limit || !execution.is_changed)
		return 0;
	return program->take_row(program->context, execution.at, &execution.row);
}

void program_close(struct program *program)
{
	free(program->initial_rows);
	free(program->cie_states);
	*program = (struct program){0};
}
