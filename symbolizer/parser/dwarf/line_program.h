/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * line_program - the line program of a unit: its files, and the line of each requested address
 *
 * Trust      the program is hostile: it ends where its unit says, and its numbers are checked where
 *            they are used. A sequence that begins at 0 is of code that the linker has discarded.
 * Limits     LINE_PROGRAM_FILES files and folders; more are left out.
 */

#include "symbolizer/parser/dwarf/places.h"

#define LINE_PROGRAM_FILES (1u << 16)

struct line_file {
	const char *name; /* in its section; NULL: none */
	uint32_t folder;
	uint32_t path; /* into the names of the result, once it was added */
	bool is_added;
};

struct line_step {
	uint32_t bytes; /* of instructions */
	uint32_t lines; /* to add: may wrap */
};

struct line_program {
	struct dwarf *dwarf; /* borrowed, as the unit */
	const struct unit *unit;
	struct value_sizes sizes;
	struct cursor cursor; /* what is left of the program */
	uint8_t instruction, base_opcode, range;
	int8_t base_line;
	uint8_t lengths[UINT8_MAX + 1];        /* operands of standard opcodes */
	struct line_step steps[UINT8_MAX + 1]; /* of special opcodes; */
	uint32_t steps_of;                     /* the numbers from which they were made; 0: none */
	const char **folders;                  /* owned */
	struct line_file *files;               /* owned */
	uint32_t folder_count, folder_capacity, file_count, file_capacity;
};

struct place_line {
	uint32_t file, line;
	bool is_known;
};

/* Reads the header; what was allocated before is reused. Without a program, or when it makes no
 * sense, it is empty, and there are no files. Return: 0, PARSER_FAILED. */
int line_program_open(struct line_program *program, struct dwarf *dwarf, const struct unit *unit);
/* Runs it once. @lines: filled for each of the @count places of @wanted, which ascend. */
void line_program_run(struct line_program *program, const struct places *places,
		      const uint32_t *wanted, uint32_t count, struct place_line *lines);
/* The file of that number; NULL: none. */
struct line_file *line_program_file(struct line_program *program, uint32_t number);
/* The folder of a file, NULL. */
const char *line_program_folder(const struct line_program *program, const struct line_file *file);
void line_program_close(struct line_program *program);
