/* SPDX-License-Identifier: Apache-2.0 */
/* generated_elf - small ELF files of numbered functions, and their symbol tables by the parser */

#include "tests/stress/generated_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "symbolizer/parser/parser.h"

enum {
	NO_SECTION,
	TEXT,
	SYMBOLS,
	NAMES,
	SECTIONS
};

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[1 + GENERATED_ELF_FUNCTIONS];
	char names[1 + GENERATED_ELF_FUNCTIONS * GENERATED_ELF_NAME];
};

static struct tm_child parser = TM_CHILD_NULL;
static uint32_t request_id;

void generated_elf_name(char text[static GENERATED_ELF_NAME], uint32_t number, uint32_t function)
{
	(void)snprintf(text, GENERATED_ELF_NAME, "function_%06u_%02u", number % 1000000,
		       function % 100);
}

int generated_elf_start(const char *program)
{
	_cleanup_(tm_closep) int fd = open(program, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : tm_child_start(&parser, fd, "tidemark-parser", NULL);
}

void generated_elf_stop(void)
{
	uint64_t cpu_ns, rss_bytes;

	tm_child_stop(&parser, &cpu_ns, &rss_bytes);
	(void)printf("the parser and its workers: %.1f s of CPU time for %u files\n",
		     (double)cpu_ns / 1e9, request_id);
}

static void add_headers(struct file *file, uint64_t text_end)
{
	file->header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct file, segment),
		.e_shoff = offsetof(struct file, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES,
	};
	file->segment = (Elf64_Phdr){.p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_vaddr = GENERATED_ELF_VADDR,
				     .p_filesz = text_end,
				     .p_memsz = text_end,
				     .p_align = 0x1000};
}

static void add_sections(struct file *file, const struct generated_elf *elf)
{
	file->sections[TEXT] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
					    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					    .sh_addr = GENERATED_ELF_VADDR + elf->first,
					    .sh_offset = elf->first,
					    .sh_size = elf->functions * GENERATED_ELF_STEP};
	file->sections[SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
					       .sh_offset = offsetof(struct file, symbols),
					       .sh_size = (1 + elf->functions) * sizeof(Elf64_Sym),
					       .sh_link = NAMES,
					       .sh_info = 1,
					       .sh_entsize = sizeof(Elf64_Sym)};
	file->sections[NAMES] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					     .sh_offset = offsetof(struct file, names),
					     .sh_size = sizeof(file->names)};
	for (uint32_t i = 0; i < elf->functions; i++) {
		uint32_t name = 1 + i * GENERATED_ELF_NAME;

		file->symbols[1 + i] = (Elf64_Sym){
			.st_name = name,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = TEXT,
			.st_value = GENERATED_ELF_VADDR + elf->first + i * GENERATED_ELF_STEP,
			.st_size = GENERATED_ELF_STEP,
		};
		generated_elf_name(file->names + name, elf->number, i);
	}
}

/* The text itself is a hole: nobody reads it. Return: a descriptor, -errno. */
static int make_file(const struct generated_elf *elf)
{
	static struct file file;
	uint64_t text_end = elf->first + elf->functions * GENERATED_ELF_STEP;
	_cleanup_(tm_closep) int fd = memfd_create("elf", MFD_CLOEXEC);

	memset(&file, 0, sizeof(file));
	add_headers(&file, text_end);
	add_sections(&file, elf);
	if (fd < 0 || write(fd, &file, sizeof(file)) != (ssize_t)sizeof(file) ||
	    (text_end > sizeof(file) && ftruncate(fd, (off_t)text_end) < 0))
		return -errno;
	return TM_TAKE_FD(fd);
}

int generated_elf_table(const struct generated_elf *elf)
{
	const struct parser_message request = {.kind = PARSER_SYMBOLS, .id = ++request_id};
	_cleanup_(tm_closep) int file = make_file(elf);
	_cleanup_(tm_closep) int fd = -1;
	struct parser_message result;

	if (file < 0 || tm_fdpass_send(parser.socket, &request, sizeof(request), file, 0) != 0 ||
	    tm_fdpass_recv(parser.socket, &result, sizeof(result), &fd, 0) != 0 ||
	    result.kind != PARSER_RESULT || result.id != request.id || result.status != PARSER_OK)
		return -EIO;
	return TM_TAKE_FD(fd);
}
