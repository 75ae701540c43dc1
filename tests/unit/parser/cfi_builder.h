/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cfi_builder - builds a small ELF file with call frame information, which tests then break
 *
 * Executable: file 0x1000..0x9000 at 0x401000. Read-only: file 0x9000..0x11000 at 0x509000, in
 * which .eh_frame (0x9000), .debug_frame (0xb000), .gopclntab (0xd000) and .plt (file 0x8f00, 64
 * bytes) are. Sections without bytes are left out.
 */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/parser/symbols/symbols_compile.h"

#define CFI_BUILDER_TEXT  0x1000u
#define CFI_BUILDER_VADDR 0x401000u /* of the text */
#define CFI_BUILDER_DATA  0x9000u
#define CFI_BUILDER_AWAY  0x500000u /* address - offset of the data */
#define CFI_BUILDER_PLT   0x8f00u
#define CFI_BUILDER_BYTES 0x11400u
#define CFI_BUILDER_PART  0x2000u /* capacity of each part */
#define CFI_BUILDER_DELTA (CFI_BUILDER_VADDR - CFI_BUILDER_TEXT)

enum cfi_builder_part {
	CFI_BUILDER_EH_FRAME,
	CFI_BUILDER_DEBUG_FRAME,
	CFI_BUILDER_PCLNTAB,
	CFI_BUILDER_PLT_SECTION,
	CFI_BUILDER_PARTS,
};

struct cfi_builder {
	_Alignas(8) uint8_t file[CFI_BUILDER_BYTES];
	uint32_t filled[CFI_BUILDER_PARTS];
	Elf64_Ehdr *header;
	Elf64_Phdr *segments; /* text, data, PT_GNU_EH_FRAME (of type PT_NULL) */
	Elf64_Shdr *sections; /* null, names, then the parts in order */
};

struct cfi_builder_bytes {
	const uint8_t *bytes;
	uint32_t count;
};
#define BYTES(...)                                                  \
	((struct cfi_builder_bytes){(const uint8_t[]){__VA_ARGS__}, \
				    (uint32_t)sizeof((const uint8_t[]){__VA_ARGS__})})

struct cfi_builder_cie {
	uint8_t version;
	const char *augmentation;
	struct cfi_builder_bytes data; /* follows its length, if the augmentation has a 'z' */
	struct cfi_builder_bytes code;
};

void cfi_builder_open(struct cfi_builder *builder);
/* Appends raw bytes. Return: their offset in the part. */
uint32_t cfi_builder_put(struct cfi_builder *builder, enum cfi_builder_part part, const void *bytes,
			 uint32_t count);
/* Code aligned to 1, data to -8, return address 16. Return: the CIE's offset in the part. */
uint32_t cfi_builder_cie(struct cfi_builder *builder, enum cfi_builder_part part,
			 const struct cfi_builder_cie *cie);
/* Augmentation zR, PC-relative addresses of four bytes; CFA sp+8, return address at cfa-8. */
uint32_t cfi_builder_plain_cie(struct cfi_builder *builder);
/* A function at @offset of the file. In .eh_frame with addresses as cfi_builder_plain_cie(). */
uint32_t cfi_builder_fde(struct cfi_builder *builder, enum cfi_builder_part part, uint32_t cie,
			 uint32_t offset, uint32_t bytes, struct cfi_builder_bytes code);
/* Return: the status of unwind_compile(). */
int cfi_builder_compile(struct cfi_builder *builder, struct result_blob *result);
/* Return: the status of symbols_compile(). */
int cfi_builder_symbols(struct cfi_builder *builder, struct result_blob *result);
