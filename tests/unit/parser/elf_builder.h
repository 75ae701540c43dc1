/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * elf_builder - builds a small, well-formed ELF file in memory, which tests then break
 *
 * One executable segment: file 0x1000..0x2000 at 0x401000. Sections: 1 .text, 2 .symtab, 3 its
 * strings, 4 .dynsym, 5 its strings; with those that a test adds, 6 has the names. Notes: a build
 * id of 4 bytes, 01 02 03 04.
 */

#include <elf.h>
#include <stdint.h>

#define ELF_BUILDER_TEXT    0x1000u
#define ELF_BUILDER_VADDR   0x401000u
#define ELF_BUILDER_SYMBOLS 16
#define ELF_BUILDER_STRINGS 256
#define ELF_BUILDER_CONTENT 16384

struct elf_builder {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[4];
	} note;
	uint8_t gap[ELF_BUILDER_TEXT - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr) - 20];
	uint8_t text[0x1000];
	Elf64_Sym symbols[ELF_BUILDER_SYMBOLS];
	char strings[ELF_BUILDER_STRINGS];
	Elf64_Sym dynamic[ELF_BUILDER_SYMBOLS];
	char dynamic_strings[ELF_BUILDER_STRINGS];
	Elf64_Shdr sections[16];
	char section_names[ELF_BUILDER_STRINGS];
	uint8_t content[ELF_BUILDER_CONTENT]; /* of added sections */
	/* How far the tables are filled. */
	uint32_t symbol_count, string_bytes, dynamic_count, dynamic_bytes;
	uint32_t section_name_bytes, content_bytes;
};
/* The bytes of the file; the counters after them are no part of it. */
#define ELF_BUILDER_BYTES offsetof(struct elf_builder, symbol_count)

void elf_builder_open(struct elf_builder *elf);
/* A .symtab entry at @offset of the text. @info: ELF64_ST_INFO. */
void elf_builder_symbol(struct elf_builder *elf, const char *name, uint64_t offset, uint64_t size,
			uint8_t info);
void elf_builder_dynamic(struct elf_builder *elf, const char *name, uint64_t offset, uint64_t size,
			 uint8_t info);
/* Adds a section with a name and a copy of its content. Return: its header. */
Elf64_Shdr *elf_builder_section(struct elf_builder *elf, const char *name, const void *content,
				uint32_t bytes, uint64_t vaddr);
