/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * elfmake - a small, well-formed ELF file in memory, for tests to break
 *
 * One executable segment: file 0x1000..0x2000 at 0x401000. Sections: 1 .text, 2 .symtab, 3 its
 * strings, 4 .dynsym, 5 its strings. Notes: a build id of 4 bytes, 01 02 03 04.
 */

#include <elf.h>
#include <stdint.h>

#define ELFMAKE_TEXT    0x1000u
#define ELFMAKE_VADDR   0x401000u
#define ELFMAKE_SYMBOLS 16
#define ELFMAKE_STRINGS 256

struct elfmake {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[4];
	} note;
	uint8_t gap[ELFMAKE_TEXT - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr) - 20];
	uint8_t text[0x1000];
	Elf64_Sym symbols[ELFMAKE_SYMBOLS];
	char strings[ELFMAKE_STRINGS];
	Elf64_Sym dynamic[ELFMAKE_SYMBOLS];
	char dynamic_strings[ELFMAKE_STRINGS];
	Elf64_Shdr sections[6];
	/* how far it is filled */
	uint32_t symbol_count, string_bytes, dynamic_count, dynamic_bytes;
};
/* What is the file; the counters behind are not. */
#define ELFMAKE_BYTES offsetof(struct elfmake, symbol_count)

void elfmake(struct elfmake *elf);
/* A .symtab entry at @offset of the text. @info: ELF64_ST_INFO. */
void elfmake_symbol(struct elfmake *elf, const char *name, uint64_t offset, uint64_t size,
		    uint8_t info);
void elfmake_dynamic(struct elfmake *elf, const char *name, uint64_t offset, uint64_t size,
		     uint8_t info);
