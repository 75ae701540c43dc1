/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program - runs the call frame instructions of one function
 */

#include "symbolizer/parser/cfi/program.h"

#include <stdlib.h>

#include "symbolizer/parser/cfi/instruction.h"
#include "symbolizer/parser/parser.h"

/* Return: 0, INSTRUCTION_REFUSED, or what a row returned. */
static int run_code(struct run *run, const uint8_t *bytes, uint32_t count)
{
	struct cursor code = cursor_of(bytes, count);
	int r = 0;

	while (!r && cursor_left(&code) && (!run->initial || run->at < run->limit)) {
		r = instruction_apply(run, &code);
		if (!r && code.bad)
			r = INSTRUCTION_REFUSED;
	}
	return r;
}

int program_open(struct program *program, const struct fde_list *frames)
{
	*program = (struct program){.frames = frames};
	program->initial = calloc(frames->cie_count + 1ull, sizeof(*program->initial));
	program->ran = calloc(frames->cie_count + 1ull, 1);
	return program->initial && program->ran ? 0 : PARSER_FAILED;
}

/* What holds before a function's own instructions; NULL: not understood. */
static const struct program_state *initial_of(struct run *run, uint32_t cie)
{
	struct program *program = run->program;

	if (!program->ran[cie]) {
		program->ran[cie] = run_code(run, run->cie->code, run->cie->code_bytes) ? 2 : 1;
		program->initial[cie] = run->state;
	}
	return program->ran[cie] == 1 ? &program->initial[cie] : NULL;
}

int program_run(struct program *program, const struct span *span, uint64_t limit, int *ret_refused)
{
	struct run run;
	int r;

	run.program = program;
	run.cie = &program->frames->cies[span->cie];
	run.span = span;
	run.initial = NULL;
	run.state = (struct program_state){0};
	run.depth = 0;
	run.at = 0;
	run.limit = limit;
	*ret_refused = 1;
	run.initial = initial_of(&run, span->cie);
	if (!run.initial)
		return program->row(program->context, 0, NULL);
	run.state = *run.initial;
	run.depth = 0;
	run.changed = 1;
	r = run_code(&run, span->code, span->code_bytes);
	if (r == INSTRUCTION_REFUSED)
		return program->row(program->context, run.at, NULL);
	if (r > 0)
		return r;
	*ret_refused = 0;
	return run.at < limit && run.changed ? program->row(program->context, run.at, &run.state)
					     : 0;
}

void program_close(struct program *program)
{
	free(program->initial);
	free(program->ran);
	*program = (struct program){0};
}
