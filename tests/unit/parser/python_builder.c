/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_builder - builds a small ELF file that has what a CPython interpreter is known by
 */

#include "tests/unit/parser/python_builder.h"

#include <stdio.h>
#include <string.h>

#define SYMBOLS 6u /* the number of the section */
#define PLACE(member) \
	(PYTHON_BUILDER_CONTENT + (uint32_t)offsetof(struct python_builder_content, member))

uint64_t python_builder_vaddr(uint64_t offset)
{
	return offset + (offset < CFI_BUILDER_DATA ? CFI_BUILDER_DELTA : CFI_BUILDER_AWAY);
}

static void add_symbol(struct python_builder *builder, enum python_builder_symbol number,
		       const char *name, uint32_t offset, uint32_t bytes)
{
	char *strings = builder->content->strings;
	uint32_t at = 1;

	while (strings[at])
		at += (uint32_t)strlen(strings + at) + 1;
	memcpy(strings + at, name, strlen(name) + 1);
	builder->content->symbols[number] = (Elf64_Sym){.st_name = at,
							.st_shndx = 1,
							.st_value = python_builder_vaddr(offset),
							.st_size = bytes};
}

static void add_sections(struct python_builder *builder)
{
	builder->symbols = builder->elf.sections + SYMBOLS;
	builder->symbols[0] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
					   .sh_offset = PLACE(symbols),
					   .sh_size = sizeof(builder->content->symbols),
					   .sh_link = SYMBOLS + 1};
	builder->symbols[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					   .sh_offset = PLACE(strings),
					   .sh_size = sizeof(builder->content->strings)};
	builder->elf.header->e_shnum = SYMBOLS + 2;
	builder->elf.segments[1].p_memsz = builder->elf.segments[1].p_filesz;
}

/* lea of the text, then ret */
static void add_get_version(struct python_builder *builder, uint32_t version)
{
	uint8_t *code = builder->elf.file + PYTHON_BUILDER_GET;
	uint32_t distance = (uint32_t)(python_builder_vaddr(PLACE(text)) -
				       python_builder_vaddr(PYTHON_BUILDER_GET + 7));

	memcpy(code, (const uint8_t[]){0x48, 0x8d, 0x0d}, 3);
	memcpy(code + 3, &distance, 4);
	code[7] = 0xc3;
	add_symbol(builder, PYTHON_BUILDER_GET_VERSION, "Py_GetVersion", PYTHON_BUILDER_GET, 8);
	(void)snprintf(builder->content->text, sizeof(builder->content->text), "%u.%u.%u",
		       version >> 24, version >> 16 & 0xff, version >> 8 & 0xff);
}

void python_builder_open(struct python_builder *builder, uint32_t version)
{
	cfi_builder_open(&builder->elf);
	builder->content = (void *)(builder->elf.file + PYTHON_BUILDER_CONTENT);
	builder->cie = cfi_builder_plain_cie(&builder->elf);
	python_builder_function(builder, PYTHON_BUILDER_LOOP, PYTHON_BUILDER_LOOP_BYTES);
	add_sections(builder);
	add_symbol(builder, PYTHON_BUILDER_STATE, "_PyRuntime", PLACE(state),
		   sizeof(builder->content->state));
	add_symbol(builder, PYTHON_BUILDER_EVAL, "_PyEval_EvalFrameDefault", PYTHON_BUILDER_LOOP,
		   PYTHON_BUILDER_LOOP_BYTES);
	if (version >= 0x030b0000)
		add_symbol(builder, PYTHON_BUILDER_VERSION, "Py_Version", PLACE(version), 8);
	else
		add_get_version(builder, version);
	builder->content->version = version;
	for (uint32_t i = 0; i < PYTHON_BUILDER_WORDS; i++)
		builder->content->state[i] = 8 * i;
	if (version >= 0x030d0000) {
		memcpy(&builder->content->state[0], "xdebugpy", 8);
		builder->content->state[1] = version;
		builder->content->state[2] = 0;
	}
}

void python_builder_jump(struct python_builder *builder, uint32_t from, uint32_t to)
{
	uint32_t distance = to - (from + 5);

	builder->elf.file[from] = 0xe9;
	memcpy(builder->elf.file + from + 1, &distance, 4);
}

void python_builder_function(struct python_builder *builder, uint32_t offset, uint32_t bytes)
{
	memset(builder->elf.file + offset, 0x90, bytes);
	(void)cfi_builder_fde(&builder->elf, CFI_BUILDER_EH_FRAME, builder->cie, offset, bytes,
			      BYTES(0x0e, 8));
}
