/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_builder - builds a small, well-formed ELF file in memory, which tests then break
 */

#include "tests/unit/parser/elf_builder.h"

#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(struct elf_builder, text) == ELF_BUILDER_TEXT,
	       "the text is at ELF_BUILDER_TEXT");

static void add(Elf64_Sym *symbols, uint32_t *count, char *strings, uint32_t *bytes,
		const Elf64_Sym *symbol, const char *name)
{
	symbols[*count] = *symbol;
	symbols[*count].st_name = *bytes;
	(*count)++;
	memcpy(strings + *bytes, name, strlen(name) + 1);
	*bytes += (uint32_t)strlen(name) + 1;
}

static Elf64_Sym place(uint64_t offset, uint64_t size, uint8_t info)
{
	return (Elf64_Sym){.st_info = info,
			   .st_shndx = 1,
			   .st_value = ELF_BUILDER_VADDR + offset,
			   .st_size = size};
}

static void make_sections(struct elf_builder *elf)
{
	elf->sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
					.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					.sh_addr = ELF_BUILDER_VADDR,
					.sh_offset = ELF_BUILDER_TEXT,
					.sh_size = sizeof(elf->text)};
	elf->sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
					.sh_offset = offsetof(struct elf_builder, symbols),
					.sh_size = sizeof(elf->symbols),
					.sh_link = 3,
					.sh_entsize = sizeof(Elf64_Sym)};
	elf->sections[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					.sh_offset = offsetof(struct elf_builder, strings),
					.sh_size = sizeof(elf->strings)};
	elf->sections[4] = elf->sections[2];
	elf->sections[4].sh_type = SHT_DYNSYM;
	elf->sections[4].sh_offset = offsetof(struct elf_builder, dynamic);
	elf->sections[4].sh_link = 5;
	elf->sections[5] = elf->sections[3];
	elf->sections[5].sh_offset = offsetof(struct elf_builder, dynamic_strings);
}

void elf_builder_open(struct elf_builder *elf)
{
	memset(elf, 0, sizeof(*elf));
	memcpy(elf->header.e_ident, ELFMAG, SELFMAG);
	elf->header.e_ident[EI_CLASS] = ELFCLASS64;
	elf->header.e_ident[EI_DATA] = ELFDATA2LSB;
	elf->header.e_ident[EI_VERSION] = EV_CURRENT;
	elf->header.e_type = ET_EXEC;
	elf->header.e_machine = EM_X86_64;
	elf->header.e_version = EV_CURRENT;
	elf->header.e_ehsize = sizeof(elf->header);
	elf->header.e_phoff = offsetof(struct elf_builder, segments);
	elf->header.e_phentsize = sizeof(Elf64_Phdr);
	elf->header.e_phnum = 2;
	elf->header.e_shoff = offsetof(struct elf_builder, sections);
	elf->header.e_shentsize = sizeof(Elf64_Shdr);
	elf->header.e_shnum = 6;
	elf->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					.p_flags = PF_R | PF_X,
					.p_offset = ELF_BUILDER_TEXT,
					.p_vaddr = ELF_BUILDER_VADDR,
					.p_filesz = sizeof(elf->text),
					.p_memsz = sizeof(elf->text)};
	elf->segments[1] = (Elf64_Phdr){.p_type = PT_NOTE,
					.p_offset = offsetof(struct elf_builder, note),
					.p_filesz = sizeof(elf->note)};
	elf->note.header = (Elf64_Nhdr){4, 4, NT_GNU_BUILD_ID};
	memcpy(elf->note.name, ELF_NOTE_GNU, 4);
	memcpy(elf->note.id, "\1\2\3\4", 4);
	make_sections(elf);
	elf->section_name_bytes = 1;
	elf->symbol_count = elf->dynamic_count = elf->string_bytes = elf->dynamic_bytes = 1;
}

void elf_builder_symbol(struct elf_builder *elf, const char *name, uint64_t offset, uint64_t size,
			uint8_t info)
{
	Elf64_Sym symbol = place(offset, size, info);

	add(elf->symbols, &elf->symbol_count, elf->strings, &elf->string_bytes, &symbol, name);
}

void elf_builder_dynamic(struct elf_builder *elf, const char *name, uint64_t offset, uint64_t size,
			 uint8_t info)
{
	Elf64_Sym symbol = place(offset, size, info);

	add(elf->dynamic, &elf->dynamic_count, elf->dynamic_strings, &elf->dynamic_bytes, &symbol,
	    name);
}

Elf64_Shdr *elf_builder_section(struct elf_builder *elf, const char *name, const void *content,
				uint32_t bytes, uint64_t vaddr)
{
	Elf64_Shdr *section;

	if (!elf->header.e_shstrndx) {
		elf->header.e_shstrndx = elf->header.e_shnum++;
		elf->sections[elf->header.e_shstrndx] =
			(Elf64_Shdr){.sh_type = SHT_STRTAB,
				     .sh_offset = offsetof(struct elf_builder, section_names),
				     .sh_size = sizeof(elf->section_names)};
	}
	section = &elf->sections[elf->header.e_shnum++];
	*section = (Elf64_Shdr){.sh_name = elf->section_name_bytes,
				.sh_type = SHT_PROGBITS,
				.sh_addr = vaddr,
				.sh_offset =
					offsetof(struct elf_builder, content) + elf->content_bytes,
				.sh_size = bytes};
	memcpy(elf->section_names + elf->section_name_bytes, name, strlen(name) + 1);
	elf->section_name_bytes += (uint32_t)strlen(name) + 1;
	memcpy(elf->content + elf->content_bytes, content, bytes);
	elf->content_bytes += (bytes + 7) & ~7u;
	return section;
}
