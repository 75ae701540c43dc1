/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cfimake - a small ELF file in memory with call frame information, for tests to fill and to break
 *
 * Executable: file 0x1000..0x9000 at 0x401000. Read-only: file 0x9000..0x11000 at 0x509000, in which
 * .eh_frame (0x9000), .debug_frame (0xb000), .gopclntab (0xd000) and .plt (file 0x8f00, 64 bytes)
 * are. Sections without bytes are left out.
 */

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/parser/symbolize.h"

#define CFIMAKE_TEXT  0x1000u
#define CFIMAKE_VADDR 0x401000u /* of the text */
#define CFIMAKE_DATA  0x9000u
#define CFIMAKE_AWAY  0x500000u /* address - offset of the data */
#define CFIMAKE_PLT   0x8f00u
#define CFIMAKE_BYTES 0x11400u
#define CFIMAKE_PART  0x2000u /* room of each part */
#define CFIMAKE_DELTA (CFIMAKE_VADDR - CFIMAKE_TEXT)

enum cfimake_part {
	CFIMAKE_EH_FRAME,
	CFIMAKE_DEBUG_FRAME,
	CFIMAKE_PCLNTAB,
	CFIMAKE_PLT_SECTION,
	CFIMAKE_PARTS,
};

struct cfimake {
	_Alignas(8) uint8_t file[CFIMAKE_BYTES];
	uint32_t filled[CFIMAKE_PARTS];
	Elf64_Ehdr *header;
	Elf64_Phdr *segments; /* text, data, PT_GNU_EH_FRAME (of type PT_NULL) */
	Elf64_Shdr *sections; /* null, names, then the parts in order */
};

struct cfimake_bytes {
	const uint8_t *bytes;
	uint32_t count;
};
#define BYTES(...)                                              \
	((struct cfimake_bytes){(const uint8_t[]){__VA_ARGS__}, \
				(uint32_t)sizeof((const uint8_t[]){__VA_ARGS__})})

struct cfimake_cie {
	uint8_t version;
	const char *augmentation;
	struct cfimake_bytes data; /* behind its length, when the augmentation has a 'z' */
	struct cfimake_bytes code;
};

void cfimake_open(struct cfimake *make);
/* Appends raw bytes. Return: where they are in the part. */
uint32_t cfimake_put(struct cfimake *make, enum cfimake_part part, const void *bytes,
		     uint32_t count);
/* Code aligned to 1, data to -8, return address 16. Return: the CIE's place in the part. */
uint32_t cfimake_cie(struct cfimake *make, enum cfimake_part part, const struct cfimake_cie *cie);
/* zR, addresses by place in four bytes; CFA sp+8, return address at cfa-8. */
uint32_t cfimake_plain_cie(struct cfimake *make);
/* A function at @offset of the file. In .eh_frame with addresses as cfimake_plain_cie(). */
uint32_t cfimake_fde(struct cfimake *make, enum cfimake_part part, uint32_t cie, uint32_t offset,
		     uint32_t bytes, struct cfimake_bytes code);
/* Return: what unwind_compile_file() says of it. */
int cfimake_compile(struct cfimake *make, struct symbolize *answer);
/* Return: what symbolize_file() says of it. */
int cfimake_answer(struct cfimake *make, const uint64_t *offsets, uint32_t count,
		   struct symbolize *answer);
