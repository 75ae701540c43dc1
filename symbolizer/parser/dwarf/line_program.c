/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_program - the line program of a unit: its files, and the line of each requested address
 */

#include "symbolizer/parser/dwarf/line_program.h"

#include <stdlib.h>

#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"

#define LENGTH_BYTES 12u /* at most, of the length of a program */
#define FORMATS_MAX  16u

struct format {
	uint64_t content;
	uint16_t form;
};

/* --- files and folders ------------------------------------------------------------------------ */

static int add_folder(struct line_program *program, const char *folder)
{
	const char **grown = grow(program->folders, program->folder_count,
				  &program->folder_capacity, sizeof(*grown));

	if (!grown)
		return PARSER_FAILED;
	program->folders = grown;
	grown[program->folder_count++] = folder;
	return 0;
}

static int add_file(struct line_program *program, const char *name, uint64_t folder)
{
	struct line_file *grown =
		grow(program->files, program->file_count, &program->file_capacity, sizeof(*grown));

	if (!grown)
		return PARSER_FAILED;
	program->files = grown;
	grown[program->file_count++] = (struct line_file){
		.name = name, .folder = folder < UINT32_MAX ? (uint32_t)folder : UINT32_MAX};
	return 0;
}

/* A string in place; NULL: it is empty, which ends a list, or does not end. */
static const char *take_string(struct cursor *cursor)
{
	const char *string = (const char *)cursor->at;
	const uint8_t *end = memchr(cursor->at, 0, cursor_left(cursor));

	cursor_skip(cursor, end ? (uint64_t)(end - cursor->at) + 1 : UINT64_MAX);
	return end && *string ? string : NULL;
}

/* Before DWARF 5: folders and files count from 1; folder 0 is that of the compilation. */
static int read_old_lists(struct line_program *program, struct cursor *cursor)
{
	const char *folder = dwarf_string(program->dwarf, program->unit,
					  die_value(&program->unit->root, DIE_COMP_DIR));
	const char *file = NULL;
	int r = 0;

	do {
		if (!r)
			r = add_folder(program, folder);
		folder = take_string(cursor);
	} while (!r && folder && program->folder_count < LINE_PROGRAM_FILES);
	if (!r)
		r = add_file(program, NULL, 0);
	while (!r && program->file_count < LINE_PROGRAM_FILES) {
		uint64_t number;

		file = take_string(cursor);
		if (!file)
			break;
		number = cursor_unsigned(cursor);
		(void)cursor_unsigned(cursor); /* time */
		(void)cursor_unsigned(cursor); /* bytes */
		r = add_file(program, file, number);
	}
	return r;
}

static uint32_t read_formats(struct cursor *cursor, struct format *formats)
{
	uint32_t count = cursor_byte(cursor);

	for (uint32_t i = 0; i < count; i++) {
		struct format format = {.content = cursor_unsigned(cursor)};

		format.form = (uint16_t)cursor_unsigned(cursor);
		if (i < FORMATS_MAX)
			formats[i] = format;
	}
	if (count > FORMATS_MAX)
		cursor_skip(cursor, UINT64_MAX);
	return count;
}

static int read_new_list(struct line_program *program, struct cursor *cursor, bool are_files)
{
	struct format formats[FORMATS_MAX];
	uint32_t format_count = read_formats(cursor, formats);
	uint64_t count = cursor_unsigned(cursor);
	int r = 0;

	if (count > LINE_PROGRAM_FILES)
		count = LINE_PROGRAM_FILES;
	for (uint64_t i = 0; !r && i < count && !cursor->is_past_end; i++) {
		const char *name = NULL;
		uint64_t folder = 0;

		for (uint32_t j = 0; j < format_count; j++) {
			const uint8_t *at = cursor->at;
			struct attribute_value value =
				value_form_read(cursor, formats[j].form, &program->sizes, 0, at);

			if (formats[j].content == DW_LNCT_path)
				name = value.form == DW_FORM_string && !cursor->is_past_end
					       ? (const char *)at
					       : dwarf_string(program->dwarf, program->unit,
							      &value);
			else if (formats[j].content == DW_LNCT_directory_index)
				folder = value.number;
		}
		r = are_files ? add_file(program, name, folder) : add_folder(program, name);
	}
	return r;
}

/* --- the header ------------------------------------------------------------------------------- */

/* Return: a cursor over the program, its length skipped; empty: there is none. */
static struct cursor find_program(struct line_program *program, uint64_t offset)
{
	struct debug_section *section = &program->dwarf->sections.list[DEBUG_LINE];
	struct cursor cursor = debug_section_read(section, offset, LENGTH_BYTES);
	uint64_t length = cursor_number(&cursor, 4), prefix = 4;

	program->sizes = (struct value_sizes){.offset = 4, .address = 8};
	if (length == UINT32_MAX) {
		program->sizes.offset = 8;
		length = cursor_number(&cursor, 8);
		prefix = LENGTH_BYTES;
	}
	return debug_section_read(section, offset + prefix, length);
}

/* Return: where the lists begin; the rest of the program is in the program's cursor. */
static struct cursor read_fixed_part(struct line_program *program, struct cursor cursor)
{
	uint64_t header;

	program->sizes.version = (uint8_t)cursor_number(&cursor, 2);
	if (program->sizes.version < 2 || program->sizes.version > 5)
		cursor_skip(&cursor, UINT64_MAX);
	if (program->sizes.version == 5)
		cursor_skip(&cursor, 2); /* sizes of an address and a segment */
	header = cursor_number(&cursor, program->sizes.offset);
	program->cursor = cursor;
	cursor_skip(&program->cursor, header);
	program->instruction = cursor_byte(&cursor);
	if (program->sizes.version >= 4)
		cursor_skip(&cursor, 1); /* operations of an instruction: 1 */
	cursor_skip(&cursor, 1);         /* default_is_stmt */
	program->base_line = (int8_t)cursor_byte(&cursor);
	program->range = cursor_byte(&cursor);
	program->base_opcode = cursor_byte(&cursor);
	memset(program->lengths, 0, sizeof(program->lengths));
	for (uint32_t i = 1; i < program->base_opcode; i++)
		program->lengths[i] = cursor_byte(&cursor);
	return cursor;
}

int line_program_open(struct line_program *program, struct dwarf *dwarf, const struct unit *unit)
{
	const struct attribute_value *offset = die_value(&unit->root, DIE_STMT_LIST);
	struct cursor cursor;
	int r;

	program->dwarf = dwarf;
	program->unit = unit;
	program->folder_count = program->file_count = 0;
	program->cursor = cursor_of((const uint8_t *)"", 0);
	if (!offset)
		return 0;
	cursor = read_fixed_part(program, find_program(program, offset->number));
	if (cursor.is_past_end || program->cursor.is_past_end || !program->range) {
		program->cursor = cursor_of((const uint8_t *)"", 0);
		dwarf->malformed = true;
		return 0;
	}
	if (program->sizes.version < 5)
		return read_old_lists(program, &cursor);
	r = read_new_list(program, &cursor, false);
	return r ? r : read_new_list(program, &cursor, true);
}

struct line_file *line_program_file(struct line_program *program, uint32_t number)
{
	return number < program->file_count && program->files[number].name ? &program->files[number]
									   : NULL;
}

const char *line_program_folder(const struct line_program *program, const struct line_file *file)
{
	return file->folder < program->folder_count ? program->folders[file->folder] : NULL;
}

void line_program_close(struct line_program *program)
{
	free(program->folders);
	free(program->files);
	*program = (struct line_program){0};
}
