/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_builder - builds a small ELF file that has what a HotSpot is known by
 *
 * The file of cfi_builder.h, whose second segment is writable, with the content at
 * JAVA_BUILDER_CONTENT and an initializer at JAVA_BUILDER_CODE, which has an FDE and stores the
 * offsets of all fields. Pointers are in place, as with relocations of the kind RELR.
 */

#include "shared/runtime.h"
#include "tests/unit/parser/cfi_builder.h"

#define JAVA_BUILDER_CONTENT     0xd000u /* in the file */
#define JAVA_BUILDER_CODE        0x2000u
#define JAVA_BUILDER_CODE_BYTES  0x1000u
#define JAVA_BUILDER_FIELDS      64u
#define JAVA_BUILDER_CODELET     4u /* fields of codelets, which come last */
#define JAVA_BUILDER_VERSION     (JAVA_BUILDER_CONTENT - 8u + CFI_BUILDER_AWAY) /* its address */
#define JAVA_BUILDER_HEAPS       0x600000u /* CodeCache::_heaps; an address in no segment */
#define JAVA_BUILDER_CODELETS    0x600200u /* AbstractInterpreter::_code; likewise */
#define JAVA_BUILDER_RELOCATIONS 4u

enum java_builder_symbol { /* of .dynsym */
	JAVA_BUILDER_STRUCTS = 1,
	JAVA_BUILDER_TYPES,
	JAVA_BUILDER_CONSTANTS,
	JAVA_BUILDER_SYMBOLS = 6,
};

struct java_builder_field {
	uint64_t type, name, kind; /* texts */
	uint32_t is_static, pad;
	uint64_t offset, address;
};

struct java_builder_type {
	uint64_t name, super;
	uint32_t flags[4];
	uint64_t bytes;
};

struct java_builder_constant {
	uint64_t name;
	int32_t value, pad;
};

struct java_builder_content {
	Elf64_Sym symbols[JAVA_BUILDER_SYMBOLS];
	char strings[128];
	uint64_t pointers[JAVA_BUILDER_SYMBOLS]; /* to the tables, by symbol */
	uint64_t initializers[2];
	Elf64_Rela relocations[JAVA_BUILDER_RELOCATIONS];
	struct java_builder_field fields[JAVA_BUILDER_FIELDS];
	struct java_builder_type types[8];
	struct java_builder_constant constants[4];
	char texts[4096];
};

struct java_builder {
	struct cfi_builder elf;
	struct java_builder_content *content; /* in it */
	Elf64_Shdr *sections; /* the headers of .dynsym, its strings, .rela.dyn, .init_array */
	uint32_t code_end;    /* of the initializer, in the file: ret is there */
	uint32_t field_count, text_bytes;
};

/* @scopes: enum tm_java_scopes. @without: the field whose offset is not stored, NULL. */
void java_builder_open(struct java_builder *builder, enum tm_java_scopes scopes,
		       const char *without);
/* The entry of that field, which there is. */
struct java_builder_field *java_builder_find(struct java_builder *builder, const char *name);
/* Sets a text of an entry: only for a new one, texts are not freed. */
uint64_t java_builder_text(struct java_builder *builder, const char *text);
/* The address of a part of the content. */
uint64_t java_builder_vaddr(const struct java_builder *builder, const void *part);
/* Appends a store of 8 bytes to the initializer; and other instructions. */
void java_builder_store(struct java_builder *builder, uint64_t vaddr, uint32_t value);
void java_builder_code(struct java_builder *builder, struct cfi_builder_bytes code);
