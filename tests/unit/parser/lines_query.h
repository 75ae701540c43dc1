/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * lines_query - compiled programs in memory, and what the parser knows of addresses in them
 */

#include <elf.h>

#include "symbolizer/names/lines_check.h"
#include "symbolizer/parser/result_blob.h"

struct program {
	uint8_t *bytes; /* owned */
	size_t count;
};

extern const char *lines_query_folder;         /* where the programs lines_... are */
extern struct result_blob lines_query_result;  /* of the last query, */
extern struct lines_check lines_query_checked; /* and checked */

struct program lines_query_load(const char *form);
/* Frees the program and the last result. */
void lines_query_unload(struct program *program);
/* Reads from a struct program, as the parser does from a file. */
int lines_query_read(void *context, void *to, uint64_t offset, size_t bytes);
/* The header of a section, NULL. */
Elf64_Shdr *lines_query_header(const struct program *program, const char *name);
/* The address of a label, from .symtab. */
uint64_t lines_query_address(const struct program *program, const char *label);
/* Asks for one address; what is found must pass its check. @debug: NULL or a separate debug file.
 * Return: the status. */
int lines_query_find(struct program *program, struct program *debug, uint64_t vaddr);
/* The same with the file that several debug files share, NULL. */
int lines_query_find_shared(struct program *program, struct program *debug,
			    struct program *alternate, uint64_t vaddr);
/* The function of a call at that address, "" without one. */
const char *lines_query_function(uint32_t index);
