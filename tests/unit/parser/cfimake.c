/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfimake - a small ELF file in memory with call frame information, for tests to fill and to break
 */

#include "tests/unit/parser/cfimake.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/unwind_compile.h"

#define HEADERS  0x11000u /* of sections */
#define NAMES    0x11300u
#define SECTIONS (2 + CFIMAKE_PARTS)

static const uint32_t places[CFIMAKE_PARTS] = {0x9000, 0xb000, 0xd000, CFIMAKE_PLT};
static const char *const names[CFIMAKE_PARTS] = {".eh_frame", ".debug_frame", ".gopclntab", ".plt"};

static void name_sections(struct cfimake *make)
{
	char *text = (char *)make->file + NAMES;
	uint32_t at = 1;

	make->sections[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = CFIMAKE_BYTES - NAMES};
	for (uint32_t i = 0; i < CFIMAKE_PARTS; i++) {
		uint64_t away = i == CFIMAKE_PLT_SECTION ? CFIMAKE_DELTA : CFIMAKE_AWAY;

		memcpy(text + at, names[i], strlen(names[i]));
		make->sections[2 + i] = (Elf64_Shdr){.sh_name = at,
						     .sh_type = SHT_PROGBITS,
						     .sh_flags = SHF_ALLOC,
						     .sh_offset = places[i],
						     .sh_addr = places[i] + away};
		at += (uint32_t)strlen(names[i]) + 1;
	}
}

void cfimake_open(struct cfimake *make)
{
	memset(make, 0, sizeof(*make));
	make->header = (void *)make->file;
	make->segments = (void *)(make->file + sizeof(Elf64_Ehdr));
	make->sections = (void *)(make->file + HEADERS);
	memcpy(make->header->e_ident, ELFMAG, SELFMAG);
	make->header->e_ident[EI_CLASS] = ELFCLASS64;
	make->header->e_ident[EI_DATA] = ELFDATA2LSB;
	make->header->e_ident[EI_VERSION] = EV_CURRENT;
	make->header->e_type = ET_DYN;
	make->header->e_machine = EM_X86_64;
	make->header->e_version = EV_CURRENT;
	make->header->e_ehsize = sizeof(Elf64_Ehdr);
	make->header->e_phoff = sizeof(Elf64_Ehdr);
	make->header->e_phentsize = sizeof(Elf64_Phdr);
	make->header->e_phnum = 3;
	make->header->e_shoff = HEADERS;
	make->header->e_shentsize = sizeof(Elf64_Shdr);
	make->header->e_shnum = SECTIONS;
	make->header->e_shstrndx = 1;
	make->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R | PF_X,
					 .p_offset = CFIMAKE_TEXT,
					 .p_vaddr = CFIMAKE_VADDR,
					 .p_filesz = CFIMAKE_DATA - CFIMAKE_TEXT};
	make->segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_flags = PF_R,
					 .p_offset = CFIMAKE_DATA,
					 .p_vaddr = CFIMAKE_DATA + CFIMAKE_AWAY,
					 .p_filesz = HEADERS - CFIMAKE_DATA};
	name_sections(make);
}

uint32_t cfimake_put(struct cfimake *make, enum cfimake_part part, const void *bytes,
		     uint32_t count)
{
	uint32_t at = make->filled[part];

	if (count > CFIMAKE_PART - at)
		abort();
	memcpy(make->file + places[part] + at, bytes, count);
	make->filled[part] += count;
	make->sections[2 + part].sh_size = make->filled[part];
	return at;
}

struct text { /* an entry in the making */
	uint8_t bytes[512];
	uint32_t count;
};

static void add(struct text *text, const void *bytes, size_t count)
{
	if (count > sizeof(text->bytes) - text->count)
		abort();
	if (count)
		memcpy(text->bytes + text->count, bytes, count);
	text->count += (uint32_t)count;
}

static void add_word(struct text *text, uint64_t word, uint32_t bytes)
{
	add(text, &word, bytes);
}

static uint32_t put_entry(struct cfimake *make, enum cfimake_part part, const struct text *text)
{
	uint32_t at = cfimake_put(make, part, &text->count, 4);

	(void)cfimake_put(make, part, text->bytes, text->count);
	return at;
}

uint32_t cfimake_cie(struct cfimake *make, enum cfimake_part part, const struct cfimake_cie *cie)
{
	struct text text = {.count = 0};

	add_word(&text, part == CFIMAKE_EH_FRAME ? 0 : UINT32_MAX, 4);
	add_word(&text, cie->version, 1);
	add(&text, cie->augmentation, strlen(cie->augmentation) + 1);
	if (strcmp(cie->augmentation, "eh") == 0)
		add_word(&text, 0, 8);
	if (cie->version == 4)
		add_word(&text, 8, 2); /* size of an address, of a segment */
	add(&text, (const uint8_t[]){1, 0x78, 16}, 3);
	if (cie->augmentation[0] == 'z') {
		add_word(&text, cie->data.count, 1);
		add(&text, cie->data.bytes, cie->data.count);
	}
	add(&text, cie->code.bytes, cie->code.count);
	return put_entry(make, part, &text);
}

uint32_t cfimake_plain_cie(struct cfimake *make)
{
	const struct cfimake_cie cie = {.version = 1,
					.augmentation = "zR",
					.data = BYTES(0x1b),
					.code = BYTES(0x0c, 7, 8, 0x90, 1)};

	return cfimake_cie(make, CFIMAKE_EH_FRAME, &cie);
}

uint32_t cfimake_fde(struct cfimake *make, enum cfimake_part part, uint32_t cie, uint32_t offset,
		     uint32_t bytes, struct cfimake_bytes code)
{
	uint32_t here = places[part] + make->filled[part] + 4; /* of its id, in the file */
	struct text text = {.count = 0};

	if (part == CFIMAKE_EH_FRAME) {
		add_word(&text, make->filled[part] + 4 - cie, 4);
		add_word(&text, offset + CFIMAKE_DELTA - (here + 4 + CFIMAKE_AWAY), 4);
		add_word(&text, bytes, 4);
		add_word(&text, 0, 1);
	} else {
		add_word(&text, cie, 4);
		add_word(&text, offset + CFIMAKE_DELTA, 8);
		add_word(&text, bytes, 8);
	}
	add(&text, code.bytes, code.count);
	return put_entry(make, part, &text);
}

static int read_made(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct cfimake *make = context;

	if (offset > CFIMAKE_BYTES || bytes > CFIMAKE_BYTES - offset)
		abort(); /* the gate let a read beyond the file through */
	memcpy(to, make->file + offset, bytes);
	return 0;
}

int cfimake_compile(struct cfimake *make, struct symbolize *answer)
{
	const struct image_source source = {read_made, make, CFIMAKE_BYTES};

	return unwind_compile_file(answer, &source);
}

int cfimake_answer(struct cfimake *make, const uint64_t *offsets, uint32_t count,
		   struct symbolize *answer)
{
	const struct image_source source = {read_made, make, CFIMAKE_BYTES};

	return symbolize_file(answer, &source, offsets, count);
}
