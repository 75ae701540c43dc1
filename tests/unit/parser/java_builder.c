/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_builder - builds a small ELF file that has what a HotSpot is known by
 */

#include "tests/unit/parser/java_builder.h"

#include <string.h>

#define SECTIONS 6u /* the number of the first one that is added */
#define NAMES    0xc0u
#define PLACE(member) \
	(JAVA_BUILDER_CONTENT + (uint32_t)offsetof(struct java_builder_content, member))

#define OF_8      (1u << TM_JAVA_OFFSETS)
#define OF_17     (1u << TM_JAVA_ADDRESS)
#define OF_23     (1u << TM_JAVA_IMMUTABLE)
#define OF_25     (1u << TM_JAVA_MUTABLE)
#define TO_17     (OF_8 | OF_17)
#define FROM_23   (OF_23 | OF_25)
#define ALL       (TO_17 | FROM_23)
#define IS_STATIC UINT32_MAX /* in place of an offset */

static const struct {
	uint32_t scopes;
	const char *type, *name, *kind;
	uint32_t offset;
} fields[] = {
	{ALL, "Other", "_name", "int", 12},
	{ALL & ~OF_8, "GrowableArrayBase", "_len", "int", 0},
	{OF_8, "GenericGrowableArray", "_len", "int", 0},
	{ALL, "GrowableArray<int>", "_data", "int*", 8},
	{OF_8, "CodeCache", "_heap", "CodeHeap*", IS_STATIC},
	{ALL & ~OF_8, "CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", IS_STATIC},
	{ALL, "VirtualSpace", "_low", "char*", 16},
	{ALL, "VirtualSpace", "_high_boundary", "char*", 8},
	{ALL, "CodeHeap", "_memory", "VirtualSpace", 24},
	{ALL, "CodeHeap", "_segmap", "VirtualSpace", 120},
	{ALL, "CodeHeap", "_log2_segment_size", "int", 256},
	{ALL, "HeapBlock", "_header", "HeapBlock::Header", 0},
	{ALL, "HeapBlock::Header", "_used", "bool", 8},
	{ALL, "CodeBlob", "_name", "const char*", 96},
	{ALL, "CodeBlob", "_frame_size", "int", 28},
	{TO_17, "CodeBlob", "_frame_complete_offset", "int", 20},
	{FROM_23, "CodeBlob", "_frame_complete_offset", "int16_t", 20},
	{OF_17, "CodeBlob", "_code_begin", "address", 32},
	{ALL & ~OF_17, "CodeBlob", "_code_offset", "int", 32},
	{ALL, "CodeBlob", "_data_offset", "int", 24},
	{OF_25, "CodeBlob", "_relocation_size", "int", 40},
	{OF_25, "CodeBlob", "_mutable_data", "address", 48},
	{ALL & ~OF_17, "nmethod", "_method", "Method*", 112},
	{OF_17, "CompiledMethod", "_method", "Method*", 112},
	{ALL, "nmethod", "_compile_id", "int", 304},
	{ALL, "nmethod", "_orig_pc_offset", "int", 300},
	{OF_17, "CompiledMethod", "_deopt_handler_begin", "address", 128},
	{FROM_23, "nmethod", "_deopt_handler_offset", "int", 128},
	{OF_8, "nmethod", "_deoptimize_offset", "int", 128},
	{FROM_23, "nmethod", "_immutable_data", "address", 136},
	{ALL, "nmethod", "_scopes_pcs_offset", "int", 268},
	{TO_17, "nmethod", "_dependencies_offset", "int", 272},
	{ALL & ~OF_17, "nmethod", "_scopes_data_offset", "int", 276},
	{OF_17, "CompiledMethod", "_scopes_data_begin", "address", 120},
	{TO_17, "nmethod", "_metadata_offset", "int", 260},
	{OF_23, "nmethod", "_metadata_offset", "u2", 260},
	{ALL, "Method", "_constMethod", "ConstMethod*", 8},
	{ALL, "ConstMethod", "_constants", "ConstantPool*", 8},
	{ALL, "ConstMethod", "_constMethod_size", "int", 24},
	{TO_17, "ConstMethod", "_flags", "u2", 28},
	{FROM_23, "ConstMethod", "_flags._flags", "u4", 28},
	{ALL, "ConstMethod", "_code_size", "u2", 34},
	{ALL, "ConstMethod", "_name_index", "u2", 36},
	{ALL, "ConstMethod", "_signature_index", "u2", 38},
	{ALL, "ConstantPool", "_pool_holder", "InstanceKlass*", 24},
	{ALL & ~OF_8, "ConstantPool", "_source_file_name_index", "u2", 54},
	{OF_8, "InstanceKlass", "_source_file_name_index", "u2", 258},
	{ALL, "Klass", "_name", "Symbol*", 16},
	{ALL, "Symbol", "_length", "unsigned short", 4},
	{ALL, "Symbol", "_body", NULL, 6},
	{ALL, "Abstract_VM_Version", "_vm_major_version", "int", IS_STATIC},
	{ALL, "AbstractInterpreter", "_code", "StubQueue*", IS_STATIC},
	{ALL, "StubQueue", "_stub_buffer", "address", 8},
	{ALL, "InterpreterCodelet", "_description", "const char*", 0},
	{ALL, "InterpreterCodelet", "_size", "int", 12},
};

uint64_t java_builder_vaddr(const struct java_builder *builder, const void *part)
{
	return (uint64_t)((const uint8_t *)part - builder->elf.file) + CFI_BUILDER_AWAY;
}

uint64_t java_builder_text(struct java_builder *builder, const char *text)
{
	char *to = builder->content->texts + builder->text_bytes;

	if (!text)
		return 0;
	memcpy(to, text, strlen(text) + 1);
	builder->text_bytes += (uint32_t)strlen(text) + 1;
	return java_builder_vaddr(builder, to);
}

void java_builder_code(struct java_builder *builder, struct cfi_builder_bytes code)
{
	memcpy(builder->elf.file + builder->code_end, code.bytes, code.count);
	builder->code_end += code.count;
	builder->elf.file[builder->code_end] = 0xc3;
}

void java_builder_store(struct java_builder *builder, uint64_t vaddr, uint32_t value)
{
	uint8_t code[11] = {0x48, 0xc7, 0x05};
	uint32_t next = builder->code_end + CFI_BUILDER_DELTA + (uint32_t)sizeof(code);
	uint32_t distance = (uint32_t)vaddr - next;

	memcpy(code + 3, &distance, 4);
	memcpy(code + 7, &value, 4);
	java_builder_code(builder, (struct cfi_builder_bytes){code, sizeof(code)});
}

struct java_builder_field *java_builder_find(struct java_builder *builder, const char *name)
{
	const uint8_t *begin = builder->elf.file;

	for (uint32_t i = 0;; i++) {
		struct java_builder_field *field = &builder->content->fields[i];

		if (strcmp((const char *)begin + (field->name - CFI_BUILDER_AWAY), name) == 0)
			return field;
	}
}

static uint64_t static_of(const char *type)
{
	if (strcmp(type, "CodeCache") == 0)
		return JAVA_BUILDER_HEAPS;
	return strcmp(type, "AbstractInterpreter") == 0 ? JAVA_BUILDER_CODELETS
							: JAVA_BUILDER_VERSION;
}

static void add_fields(struct java_builder *builder, enum tm_java_scopes scopes,
		       const char *without)
{
	for (uint32_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct java_builder_field *field = &builder->content->fields[builder->field_count];

		if (!(fields[i].scopes & 1u << scopes))
			continue;
		field->type = java_builder_text(builder, fields[i].type);
		field->name = java_builder_text(builder, fields[i].name);
		field->kind = java_builder_text(builder, fields[i].kind);
		field->is_static = fields[i].offset == IS_STATIC;
		if (field->is_static)
			field->address = static_of(fields[i].type);
		else if (!without || strcmp(without, fields[i].name) != 0)
			java_builder_store(builder, java_builder_vaddr(builder, &field->offset),
					   fields[i].offset);
		builder->field_count++;
	}
}

static void add_numbers(struct java_builder *builder)
{
	static const struct {
		const char *name;
		uint32_t bytes;
	} types[] = {{"HeapBlock", 16}, {"PcDesc", 16}, {"ConstMethod", 48}, {"ConstantPool", 72}};

	for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		builder->content->types[i].name = java_builder_text(builder, types[i].name);
		builder->content->types[i].bytes = types[i].bytes;
	}
	builder->content->constants[0].name =
		java_builder_text(builder, "ConstMethod::_has_linenumber_table");
	builder->content->constants[0].value = 1;
}

static void add_symbols(struct java_builder *builder)
{
	static const char *const names[] = {"gHotSpotVMStructs", "gHotSpotVMTypes",
					    "gHotSpotVMIntConstants"};
	struct java_builder_content *content = builder->content;
	const void *const tables[] = {content->fields, content->types, content->constants};
	uint32_t at = 1;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t number = JAVA_BUILDER_STRUCTS + i;
		uint64_t *pointer = &content->pointers[number];

		memcpy(content->strings + at, names[i], strlen(names[i]) + 1);
		*pointer = java_builder_vaddr(builder, tables[i]);
		content->symbols[number] =
			(Elf64_Sym){.st_name = at,
				    .st_shndx = 1,
				    .st_value = java_builder_vaddr(builder, pointer),
				    .st_size = 8};
		at += (uint32_t)strlen(names[i]) + 1;
	}
}

static void add_section(struct java_builder *builder, const char *name, Elf64_Shdr header)
{
	char *names = (char *)builder->elf.file + builder->elf.sections[1].sh_offset;
	uint32_t number = builder->elf.header->e_shnum++, at = NAMES + 16 * (number - SECTIONS);

	memcpy(names + at, name, strlen(name));
	header.sh_name = at;
	header.sh_addr = header.sh_offset + CFI_BUILDER_AWAY;
	builder->elf.sections[number] = header;
}

static void add_sections(struct java_builder *builder)
{
	const struct java_builder_content *content = builder->content;

	builder->sections = builder->elf.sections + SECTIONS;
	add_section(builder, ".dynsym",
		    (Elf64_Shdr){.sh_type = SHT_DYNSYM,
				 .sh_offset = PLACE(symbols),
				 .sh_size = sizeof(content->symbols),
				 .sh_link = SECTIONS + 1});
	add_section(builder, ".dynstr",
		    (Elf64_Shdr){.sh_type = SHT_STRTAB,
				 .sh_offset = PLACE(strings),
				 .sh_size = sizeof(content->strings)});
	add_section(builder, ".rela.dyn",
		    (Elf64_Shdr){.sh_type = SHT_RELA,
				 .sh_offset = PLACE(relocations),
				 .sh_size = sizeof(content->relocations)});
	add_section(builder, ".init_array",
		    (Elf64_Shdr){.sh_type = SHT_INIT_ARRAY,
				 .sh_offset = PLACE(initializers),
				 .sh_size = sizeof(content->initializers[0])});
}

void java_builder_open(struct java_builder *builder, enum tm_java_scopes scopes,
		       const char *without)
{
	uint32_t version = scopes == TM_JAVA_IMMUTABLE ? 23 : scopes == TM_JAVA_MUTABLE ? 25 : 17;

	cfi_builder_open(&builder->elf);
	builder->content = (void *)(builder->elf.file + JAVA_BUILDER_CONTENT);
	builder->code_end = JAVA_BUILDER_CODE;
	builder->field_count = builder->text_bytes = 0;
	builder->elf.segments[1].p_flags |= PF_W;
	(void)cfi_builder_fde(&builder->elf, CFI_BUILDER_EH_FRAME,
			      cfi_builder_plain_cie(&builder->elf), JAVA_BUILDER_CODE,
			      JAVA_BUILDER_CODE_BYTES, BYTES(0x0e, 8));
	add_sections(builder);
	add_symbols(builder);
	java_builder_code(builder, BYTES(0x55, 0x48, 0x89, 0xe5));
	add_fields(builder, scopes, without);
	add_numbers(builder);
	builder->content->initializers[0] = JAVA_BUILDER_CODE + CFI_BUILDER_DELTA;
	if (scopes != TM_JAVA_OFFSETS)
		memcpy(builder->elf.file + JAVA_BUILDER_CONTENT - 8, &version, sizeof(version));
}
