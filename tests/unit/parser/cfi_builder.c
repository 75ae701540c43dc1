/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_builder - builds a small ELF file with call frame information, which tests then break
 */

#include "tests/unit/parser/cfi_builder.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/unwind_compile.h"

#define HEADERS  0x11000u /* of sections */
#define NAMES    0x11300u
#define SECTIONS (2 + CFI_BUILDER_PARTS)

static const uint32_t places[CFI_BUILDER_PARTS] = {0x9000, 0xb000, 0xd000, CFI_BUILDER_PLT};
static const char *const names[CFI_BUILDER_PARTS] = {".eh_frame", ".debug_frame", ".gopclntab",
						     ".plt"};

static void name_sections(struct cfi_builder *builder)
{
	char *text = (char *)builder->file + NAMES;
	uint32_t at = 1;

	builder->sections[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = CFI_BUILDER_BYTES - NAMES};
	for (uint32_t i = 0; i < CFI_BUILDER_PARTS; i++) {
		uint64_t away = i == CFI_BUILDER_PLT_SECTION ? CFI_BUILDER_DELTA : CFI_BUILDER_AWAY;

		memcpy(text + at, names[i], strlen(names[i]));
		builder->sections[2 + i] = (Elf64_Shdr){.sh_name = at,
							.sh_type = SHT_PROGBITS,
							.sh_flags = SHF_ALLOC,
							.sh_offset = places[i],
							.sh_addr = places[i] + away};
		at += (uint32_t)strlen(names[i]) + 1;
	}
}

void cfi_builder_open(struct cfi_builder *builder)
{
	memset(builder, 0, sizeof(*builder));
	builder->header = (void *)builder->file;
	builder->segments = (void *)(builder->file + sizeof(Elf64_Ehdr));
	builder->sections = (void *)(builder->file + HEADERS);
	memcpy(builder->header->e_ident, ELFMAG, SELFMAG);
	builder->header->e_ident[EI_CLASS] = ELFCLASS64;
	builder->header->e_ident[EI_DATA] = ELFDATA2LSB;
	builder->header->e_ident[EI_VERSION] = EV_CURRENT;
	builder->header->e_type = ET_DYN;
	builder->header->e_machine = EM_X86_64;
	builder->header->e_version = EV_CURRENT;
	builder->header->e_ehsize = sizeof(Elf64_Ehdr);
	builder->header->e_phoff = sizeof(Elf64_Ehdr);
	builder->header->e_phentsize = sizeof(Elf64_Phdr);
	builder->header->e_phnum = 3;
	builder->header->e_shoff = HEADERS;
	builder->header->e_shentsize = sizeof(Elf64_Shdr);
	builder->header->e_shnum = SECTIONS;
	builder->header->e_shstrndx = 1;
	builder->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
					    .p_flags = PF_R | PF_X,
					    .p_offset = CFI_BUILDER_TEXT,
					    .p_vaddr = CFI_BUILDER_VADDR,
					    .p_filesz = CFI_BUILDER_DATA - CFI_BUILDER_TEXT};
	builder->segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
					    .p_flags = PF_R,
					    .p_offset = CFI_BUILDER_DATA,
					    .p_vaddr = CFI_BUILDER_DATA + CFI_BUILDER_AWAY,
					    .p_filesz = HEADERS - CFI_BUILDER_DATA};
	name_sections(builder);
}

uint32_t cfi_builder_put(struct cfi_builder *builder, enum cfi_builder_part part, const void *bytes,
			 uint32_t count)
{
	uint32_t at = builder->filled[part];

	if (count > CFI_BUILDER_PART - at)
		abort();
	memcpy(builder->file + places[part] + at, bytes, count);
	builder->filled[part] += count;
	builder->sections[2 + part].sh_size = builder->filled[part];
	return at;
}

struct text { /* an entry that is being built */
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

static uint32_t put_entry(struct cfi_builder *builder, enum cfi_builder_part part,
			  const struct text *text)
{
	uint32_t at = cfi_builder_put(builder, part, &text->count, 4);

	(void)cfi_builder_put(builder, part, text->bytes, text->count);
	return at;
}

uint32_t cfi_builder_cie(struct cfi_builder *builder, enum cfi_builder_part part,
			 const struct cfi_builder_cie *cie)
{
	struct text text = {.count = 0};

	add_word(&text, part == CFI_BUILDER_EH_FRAME ? 0 : UINT32_MAX, 4);
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
	return put_entry(builder, part, &text);
}

uint32_t cfi_builder_plain_cie(struct cfi_builder *builder)
{
	const struct cfi_builder_cie cie = {.version = 1,
					    .augmentation = "zR",
					    .data = BYTES(0x1b),
					    .code = BYTES(0x0c, 7, 8, 0x90, 1)};

	return cfi_builder_cie(builder, CFI_BUILDER_EH_FRAME, &cie);
}

uint32_t cfi_builder_fde(struct cfi_builder *builder, enum cfi_builder_part part, uint32_t cie,
			 uint32_t offset, uint32_t bytes, struct cfi_builder_bytes code)
{
	uint32_t here = places[part] + builder->filled[part] + 4; /* of its id, in the file */
	struct text text = {.count = 0};

	if (part == CFI_BUILDER_EH_FRAME) {
		add_word(&text, builder->filled[part] + 4 - cie, 4);
		add_word(&text, offset + CFI_BUILDER_DELTA - (here + 4 + CFI_BUILDER_AWAY), 4);
		add_word(&text, bytes, 4);
		add_word(&text, 0, 1);
	} else {
		add_word(&text, cie, 4);
		add_word(&text, offset + CFI_BUILDER_DELTA, 8);
		add_word(&text, bytes, 8);
	}
	add(&text, code.bytes, code.count);
	return put_entry(builder, part, &text);
}

static int read_made(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct cfi_builder *builder = context;

	if (offset > CFI_BUILDER_BYTES || bytes > CFI_BUILDER_BYTES - offset)
		abort(); /* a read beyond the file was not refused */
	memcpy(to, builder->file + offset, bytes);
	return 0;
}

int cfi_builder_compile(struct cfi_builder *builder, struct result_blob *result)
{
	const struct image_source source = {read_made, builder, CFI_BUILDER_BYTES};

	return unwind_compile(result, &source);
}

int cfi_builder_symbols(struct cfi_builder *builder, struct result_blob *result)
{
	const struct image_source source = {read_made, builder, CFI_BUILDER_BYTES};

	return symbols_compile(result, &source);
}
