/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_query - compiled programs in memory, and what the parser knows of addresses in them
 */

#include "tests/unit/parser/lines_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "symbolizer/parser/dwarf/lines.h"

#define PROGRAM_MAX (1u << 20)

const char *lines_query_folder;
struct result_blob lines_query_result;
struct lines_check lines_query_checked;

int lines_query_read(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct program *program = context;

	assert_true(offset <= program->count && bytes <= program->count - offset);
	memcpy(to, program->bytes + offset, bytes);
	return 0;
}

struct program lines_query_load(const char *form)
{
	struct program program = {malloc(PROGRAM_MAX), 0};
	char path[PATH_MAX];
	ssize_t count;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/lines_%s", lines_query_folder, form);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s cannot be opened", path);
	count = read(fd, program.bytes, PROGRAM_MAX);
	assert_true(count > 0 && count < PROGRAM_MAX);
	program.count = (size_t)count;
	(void)close(fd);
	return program;
}

void lines_query_unload(struct program *program)
{
	free(program->bytes);
	result_blob_free(&lines_query_result);
}

Elf64_Shdr *lines_query_header(const struct program *program, const char *name)
{
	Elf64_Ehdr *file = (void *)program->bytes;
	Elf64_Shdr *sections = (void *)(program->bytes + file->e_shoff);
	const char *names = (const char *)program->bytes + sections[file->e_shstrndx].sh_offset;

	for (uint32_t i = 0; i < file->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, name) == 0)
			return &sections[i];
	return NULL;
}

uint64_t lines_query_address(const struct program *program, const char *label)
{
	const Elf64_Shdr *table = lines_query_header(program, ".symtab");
	const Elf64_Shdr *strings = lines_query_header(program, ".strtab");
	const Elf64_Sym *symbols = (const void *)(program->bytes + table->sh_offset);
	const char *names = (const char *)program->bytes + strings->sh_offset;

	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++)
		if (strcmp(names + symbols[i].st_name, label) == 0)
			return symbols[i].st_value;
	fail_msg("the program has no label %s", label);
	return 0;
}

int lines_query_find_shared(struct program *program, struct program *debug,
			    struct program *alternate, uint64_t vaddr)
{
	struct program *programs[] = {program, debug, alternate};
	struct image_source files[3];
	struct debug_sources sources = {.file = &files[0],
					.debug = debug ? &files[1] : NULL,
					.alternate = alternate ? &files[2] : NULL};
	int status;

	for (int i = 0; i < 3; i++)
		if (programs[i])
			files[i] = (struct image_source){lines_query_read, programs[i],
							 programs[i]->count};
	result_blob_free(&lines_query_result);
	status = lines_find(&lines_query_result, &sources, &vaddr, 1);
	if (status == PARSER_OK)
		assert_int_equal(lines_check_check(&lines_query_checked, lines_query_result.data,
						   lines_query_result.bytes, 1),
				 0);
	return status;
}

int lines_query_find(struct program *program, struct program *debug, uint64_t vaddr)
{
	return lines_query_find_shared(program, debug, NULL, vaddr);
}

const char *lines_query_function(uint32_t index)
{
	uint32_t name = lines_query_checked.calls[lines_query_checked.places[0].first_call + index]
				.function;

	return name == PARSER_NO_NAME ? "" : lines_query_checked.names + name;
}
