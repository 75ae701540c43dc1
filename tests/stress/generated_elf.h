/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * generated_elf - small ELF files of numbered functions, and their symbol tables as the real parser
 * makes them
 */

#include <stdint.h>

#define GENERATED_ELF_VADDR     0x10000u /* of the file's first byte */
#define GENERATED_ELF_STEP      0x20u    /* bytes of each function */
#define GENERATED_ELF_FUNCTIONS 64u      /* at most */
#define GENERATED_ELF_NAME      24u      /* bytes of a name, at most */

struct generated_elf {
	uint32_t number;    /* is in the names */
	uint32_t first;     /* offset of the first function in the file */
	uint32_t functions; /* one behind the other */
};

void generated_elf_name(char text[static GENERATED_ELF_NAME], uint32_t number, uint32_t function);
/* Starts the parser, whose path is @program. Return: 0, -errno. */
int generated_elf_start(const char *program);
void generated_elf_stop(void);
/* Return: the sealed symbol table that the parser made of that file; -EIO: it made none. */
int generated_elf_table(const struct generated_elf *elf);
