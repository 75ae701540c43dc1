/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_layout - where the fields lie that the unwinder reads, by the tables of a HotSpot
 */

#include "symbolizer/parser/java/java_layout.h"

#include <string.h>

#define NONE TM_RUNTIME_NONE

/* Words from an interpreter's frame pointer: cpu/x86/frame_x86.hpp, interpreter_frame_*_offset. */
#define FRAME_METHOD (-3)
#define FRAME_CODE   (-8)
#define FRAME_CODE_8 (-7) /* in 8 there is no mirror of the class before it */

/* Where: the forms of the structures that have the field; at least one row of a field counts. */
#define BEHIND    (1u << TM_JAVA_OFFSETS | 1u << TM_JAVA_ADDRESS)
#define IMMUTABLE (1u << TM_JAVA_IMMUTABLE)
#define MUTABLE   (1u << TM_JAVA_MUTABLE)
#define APART     (IMMUTABLE | MUTABLE)
#define ANY       (BEHIND | APART)
/* Of the file's name: one of two fields; and the codelets, which may be without a name. */
#define OPTIONAL (1u << TM_JAVA_SCOPES_N)
/* The upper 16 bits of an int. */
#define UPPER (2u << TM_JAVA_SCOPES_N)

/* Widths in bytes that a field may have; 0: not checked. */
#define FLAG   1u
#define SHORT  2u
#define INT    4u
#define NUMBER (SHORT | INT)
#define LONG   8u

struct row {
	uint16_t at;       /* in struct tm_java */
	uint16_t width_at; /* where its width goes, or NONE */
	uint32_t where;
	uint32_t widths;
	const char *type, *field;
	const char *in_type, *in_field; /* a field within that field, or NULL */
};

#define AT(name) (uint16_t) offsetof(struct tm_java, name)

/* clang-format off */
static const struct row rows[] = {
	{AT(array_length), NONE, ANY, INT, "GrowableArrayBase", "_len", NULL, NULL},
	{AT(array_length), NONE, ANY, INT, "GenericGrowableArray", "_len", NULL, NULL},
	{AT(array_data), NONE, ANY, LONG, "GrowableArray<int>", "_data", NULL, NULL},
	{AT(heap_low), NONE, ANY, LONG, "CodeHeap", "_memory", "VirtualSpace", "_low"},
	{AT(heap_high), NONE, ANY, LONG, "CodeHeap", "_memory", "VirtualSpace", "_high_boundary"},
	{AT(heap_segments), NONE, ANY, LONG, "CodeHeap", "_segmap", "VirtualSpace", "_low"},
	{AT(heap_shift), NONE, ANY, INT, "CodeHeap", "_log2_segment_size", NULL, NULL},
	{AT(block_used), NONE, ANY, FLAG, "HeapBlock", "_header", "HeapBlock::Header", "_used"},
	{AT(blob_name), NONE, ANY, LONG, "CodeBlob", "_name", NULL, NULL},
	{AT(blob_frame_words), NONE, ANY, INT, "CodeBlob", "_frame_size", NULL, NULL},
	{AT(blob_complete), AT(blob_complete_bytes), ANY, NUMBER,
		"CodeBlob", "_frame_complete_offset", NULL, NULL},
	{AT(blob_code), AT(blob_code_bytes), ANY, LONG, "CodeBlob", "_code_begin", NULL, NULL},
	{AT(blob_code), AT(blob_code_bytes), ANY, NUMBER, "CodeBlob", "_code_offset", NULL, NULL},
	{AT(blob_data), NONE, IMMUTABLE, INT, "CodeBlob", "_data_offset", NULL, NULL},
	{AT(blob_relocations), NONE, MUTABLE, INT, "CodeBlob", "_relocation_size", NULL, NULL},
	{AT(nmethod_method), NONE, ANY, LONG, "nmethod", "_method", NULL, NULL},
	{AT(nmethod_method), NONE, ANY, LONG, "CompiledMethod", "_method", NULL, NULL},
	{AT(nmethod_compile_id), NONE, ANY, INT, "nmethod", "_compile_id", NULL, NULL},
	{AT(nmethod_original_pc), NONE, ANY, INT, "nmethod", "_orig_pc_offset", NULL, NULL},
	{AT(nmethod_deopt), AT(nmethod_deopt_bytes), ANY, LONG,
		"CompiledMethod", "_deopt_handler_begin", NULL, NULL},
	{AT(nmethod_deopt), AT(nmethod_deopt_bytes), ANY, NUMBER,
		"nmethod", "_deopt_handler_offset", NULL, NULL},
	{AT(nmethod_deopt), AT(nmethod_deopt_bytes), ANY, NUMBER,
		"nmethod", "_deopt_handler_entry_offset", NULL, NULL},
	{AT(nmethod_deopt), AT(nmethod_deopt_bytes), ANY, NUMBER,
		"nmethod", "_deoptimize_offset", NULL, NULL},
	{AT(nmethod_immutable), NONE, APART, LONG, "nmethod", "_immutable_data", NULL, NULL},
	{AT(nmethod_mutable), NONE, MUTABLE, LONG, "CodeBlob", "_mutable_data", NULL, NULL},
	{AT(nmethod_pcs), NONE, ANY, INT, "nmethod", "_scopes_pcs_offset", NULL, NULL},
	/* What lies behind the PcDescs: nmethod.hpp. */
	{AT(nmethod_pcs_end), NONE, BEHIND, INT, "nmethod", "_dependencies_offset", NULL, NULL},
	{AT(nmethod_pcs_end), NONE, APART, INT, "nmethod", "_scopes_data_offset", NULL, NULL},
	{AT(nmethod_scopes), NONE, 1u << TM_JAVA_ADDRESS, LONG,
		"CompiledMethod", "_scopes_data_begin", NULL, NULL},
	{AT(nmethod_scopes), NONE, 1u << TM_JAVA_OFFSETS | APART, INT,
		"nmethod", "_scopes_data_offset", NULL, NULL},
	{AT(nmethod_metadata), NONE, BEHIND, INT, "nmethod", "_metadata_offset", NULL, NULL},
	{AT(nmethod_metadata), NONE, IMMUTABLE, SHORT, "nmethod", "_metadata_offset", NULL, NULL},
	{AT(method_const), NONE, ANY, LONG, "Method", "_constMethod", NULL, NULL},
	{AT(const_pool), NONE, ANY, LONG, "ConstMethod", "_constants", NULL, NULL},
	{AT(const_words), NONE, ANY, INT, "ConstMethod", "_constMethod_size", NULL, NULL},
	/* Its lower 16 bits do. */
	{AT(const_flags), NONE, ANY, NUMBER, "ConstMethod", "_flags", NULL, NULL},
	{AT(const_flags), NONE, ANY, NUMBER, "ConstMethod", "_flags._flags", NULL, NULL},
	{AT(const_code_bytes), NONE, ANY, SHORT, "ConstMethod", "_code_size", NULL, NULL},
	{AT(const_name), NONE, ANY, SHORT, "ConstMethod", "_name_index", NULL, NULL},
	{AT(const_signature), NONE, ANY, SHORT, "ConstMethod", "_signature_index", NULL, NULL},
	{AT(pool_holder), NONE, ANY, LONG, "ConstantPool", "_pool_holder", NULL, NULL},
	{AT(pool_file), NONE, ANY | OPTIONAL, SHORT,
		"ConstantPool", "_source_file_name_index", NULL, NULL},
	{AT(class_file), NONE, ANY | OPTIONAL, SHORT,
		"InstanceKlass", "_source_file_name_index", NULL, NULL},
	{AT(class_name), NONE, ANY, LONG, "Klass", "_name", NULL, NULL},
	{AT(symbol_length), NONE, ANY, SHORT, "Symbol", "_length", NULL, NULL},
	{AT(symbol_length), NONE, ANY | UPPER, INT, "Symbol", "_length_and_refcount", NULL, NULL},
	{AT(symbol_text), NONE, ANY, 0, "Symbol", "_body", NULL, NULL},
	{AT(queue_codelets), NONE, ANY | OPTIONAL, LONG, "StubQueue", "_stub_buffer", NULL, NULL},
	{AT(codelet_bytes), NONE, ANY | OPTIONAL, INT, "InterpreterCodelet", "_size", NULL, NULL},
	{AT(codelet_name), NONE, ANY | OPTIONAL, LONG,
		"InterpreterCodelet", "_description", NULL, NULL},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Return: 0: a structure, or a type that no field here has. */
static uint32_t width_of(const struct java_tables *tables, uint64_t type)
{
	static const struct {
		const char *name;
		uint32_t bytes;
	} types[] = {
		{"bool", FLAG},
		{"u2", SHORT},
		{"uint16_t", SHORT},
		{"int16_t", SHORT},
		{"unsigned short", SHORT},
		{"u4", INT},
		{"int", INT},
		{"unsigned int", INT},
		{"address", LONG},
		{"char*", LONG},
		{"const char*", LONG},
		{"int*", LONG},
		{"Method*", LONG},
		{"ConstMethod*", LONG},
		{"ConstantPool*", LONG},
		{"InstanceKlass*", LONG},
		{"Klass*", LONG},
		{"Symbol*", LONG},
	};

	for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (java_tables_is(tables, type, types[i].name))
			return types[i].bytes;
	return 0;
}

static uint16_t *word_at(struct tm_java *java, uint16_t at)
{
	return (uint16_t *)((uint8_t *)java + at);
}

static const struct java_entry *find_field(const struct java_tables *tables, const char *type,
					   const char *field)
{
	const struct java_entry *entry = java_tables_find(tables, JAVA_FIELDS, type, field);

	return entry && entry->is_known && entry->number < NONE ? entry : NULL;
}

/* Return: false: the field is not known, or is not what is wanted. */
static bool take_row(struct tm_java *java, const struct java_tables *tables, const struct row *row)
{
	const struct java_entry *entry = find_field(tables, row->type, row->field);
	uint64_t offset = (entry ? entry->number : 0) + (row->where & UPPER ? 2 : 0);
	uint32_t width;

	if (entry && row->in_type) {
		entry = find_field(tables, row->in_type, row->in_field);
		offset += entry ? entry->number : 0;
	}
	width = entry ? width_of(tables, entry->type) : 0;
	if (!entry || entry->is_static || offset >= NONE || (row->widths && !(row->widths & width)))
		return false;
	*word_at(java, row->at) = (uint16_t)offset;
	if (row->width_at != NONE)
		*word_at(java, row->width_at) = (uint16_t)width;
	return true;
}

/* An initializer that was not understood leaves several fields of a structure at 0. */
static bool is_distinct(struct tm_java *java, const bool *taken, const struct row *row)
{
	for (uint32_t i = 0; i < ROWS; i++)
		if (taken[i] && strcmp(rows[i].type, row->type) == 0 &&
		    strcmp(rows[i].field, row->field) != 0 &&
		    *word_at(java, rows[i].at) == *word_at(java, row->at))
			return false;
	return true;
}

static bool take_rows(struct tm_java *java, const struct java_tables *tables)
{
	uint32_t form = 1u << java->scopes;
	bool taken[ROWS] = {false};

	for (uint32_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];

		if (!(row->where & form) || *word_at(java, row->at) != NONE)
			continue;
		taken[i] = take_row(java, tables, row);
		if (taken[i] && !is_distinct(java, taken, row))
			return false;
	}
	for (uint32_t i = 0; i < ROWS; i++)
		if (rows[i].where & form && !(rows[i].where & OPTIONAL) &&
		    *word_at(java, rows[i].at) == NONE)
			return false;
	return (java->pool_file == NONE) != (java->class_file == NONE);
}

static bool take_number(uint16_t *ret_number, const struct java_tables *tables,
			enum java_table table, const char *name)
{
	const struct java_entry *entry = java_tables_find(tables, table, name, NULL);

	if (!entry || !entry->is_known || !entry->number || entry->number >= NONE)
		return false;
	*ret_number = (uint16_t)entry->number;
	return true;
}

static bool take_numbers(struct tm_java *java, const struct java_tables *tables)
{
	uint16_t pc_bytes;

	return take_number(&pc_bytes, tables, JAVA_TYPES, "PcDesc") &&
	       pc_bytes == TM_JAVA_PC_BYTES &&
	       take_number(&java->block_bytes, tables, JAVA_TYPES, "HeapBlock") &&
	       take_number(&java->const_code, tables, JAVA_TYPES, "ConstMethod") &&
	       take_number(&java->pool_entries, tables, JAVA_TYPES, "ConstantPool") &&
	       (take_number(&java->const_lines, tables, JAVA_CONSTANTS,
			    "ConstMethod::_has_linenumber_table") ||
		take_number(&java->const_lines, tables, JAVA_CONSTANTS,
			    "ConstMethodFlags::_misc_has_linenumber_table"));
}

static enum tm_java_scopes form_of(const struct java_tables *tables)
{
	if (find_field(tables, "CompiledMethod", "_scopes_data_begin"))
		return TM_JAVA_ADDRESS;
	if (find_field(tables, "CodeBlob", "_mutable_data"))
		return TM_JAVA_MUTABLE;
	return find_field(tables, "nmethod", "_immutable_data") ? TM_JAVA_IMMUTABLE
								: TM_JAVA_OFFSETS;
}

bool java_layout_find(struct tm_java *ret_java, const struct java_tables *tables)
{
	bool has_heaps = java_tables_find(tables, JAVA_FIELDS, "CodeCache", "_heaps") != NULL;

	memset(ret_java, 0xff, sizeof(*ret_java)); /* TM_RUNTIME_NONE */
	ret_java->scopes = (uint16_t)form_of(tables);
	ret_java->flags = (uint16_t)(has_heaps ? 0 : TM_JAVA_ONE_HEAP);
	ret_java->frame_method = FRAME_METHOD;
	ret_java->frame_code = has_heaps ? FRAME_CODE : FRAME_CODE_8;
	ret_java->stubs = ret_java->codelets = 0;
	ret_java->pad[0] = ret_java->pad[1] = 0;
	return take_rows(ret_java, tables) && take_numbers(ret_java, tables);
}
