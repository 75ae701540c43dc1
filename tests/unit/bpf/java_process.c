/* SPDX-License-Identifier: GPL-2.0 */
/*
 * java_process - a sampled process that runs HotSpot, with structures of a made-up version
 */

#include "tests/unit/bpf/java_process.h"

#include <string.h>

#define NAME_INDEX      3
#define SIGNATURE_INDEX 4
#define FILE_INDEX      5
#define HAS_LINES       4u /* a flag of a ConstMethod */
#define GARBAGE         0xa5
#define RELOCATIONS     0x28u /* bytes before the metadata, of TM_JAVA_MUTABLE */
#define FREE_SEGMENT    0xffu

/* Fields whose width or place depends on the layout are in java_process_make_as(). */
static const struct tm_runtime runtime = {
	.kind = TM_RUNTIME_JAVA,
	.state = (int64_t)(JAVA_STATE - SAMPLED_CODE),
	.java = {.array_length = 4,
		 .array_data = 0x10,
		 .heap_low = 0x10,
		 .heap_high = 0x28,
		 .heap_segments = 0x40,
		 .heap_shift = 0x7c,
		 .block_used = 8,
		 .block_bytes = JAVA_BLOCK_BYTES,
		 .blob_name = 0x10,
		 .blob_complete = 0x1c,
		 .blob_complete_bytes = 4,
		 .blob_frame_words = 0x24,
		 .blob_code = 0x28,
		 .blob_data = TM_RUNTIME_NONE,
		 .blob_relocations = TM_RUNTIME_NONE,
		 .nmethod_method = 0x40,
		 .nmethod_compile_id = 0x48,
		 .nmethod_original_pc = 0x4c,
		 .nmethod_deopt = 0x50,
		 .nmethod_immutable = TM_RUNTIME_NONE,
		 .nmethod_mutable = TM_RUNTIME_NONE,
		 .nmethod_pcs = 0x74,
		 .nmethod_pcs_end = 0x7c,
		 .nmethod_scopes = 0x80,
		 .nmethod_metadata = TM_RUNTIME_NONE,
		 .method_const = 0x10,
		 .const_pool = 8,
		 .const_words = 0x18,
		 .const_flags = 0x1c,
		 .const_lines = HAS_LINES,
		 .const_code_bytes = 0x22,
		 .const_name = 0x24,
		 .const_signature = 0x26,
		 .const_code = 0x38,
		 .pool_holder = 0x18,
		 .pool_entries = 0x48,
		 .pool_file = TM_RUNTIME_NONE,
		 .class_file = TM_RUNTIME_NONE,
		 .class_name = 0x18,
		 .symbol_length = 4,
		 .symbol_text = 6,
		 .frame_method = JAVA_FRAME_METHOD,
		 .frame_code = JAVA_FRAME_CODE},
};

static struct {
	uint64_t next[JAVA_HEAPS_MADE]; /* in each heap */
	uint64_t nmethod;               /* the last one: */
	uint64_t pcs, scopes, metadata;
	uint64_t debug; /* where those of the next one lie */
} made;

/* --- layout ----------------------------------------------------------------------------------- */

void java_process_put(uint64_t address, uint64_t value, uint32_t bytes)
{
	bpf_host_write(address, &value, bytes);
}

static void fill(uint64_t address, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		java_process_put(address + i, GARBAGE, 1);
}

static void choose(struct tm_java *java, uint16_t scopes)
{
	static const struct {
		uint16_t code, deopt, complete; /* bytes */
	} widths[] = {{4, 4, 4}, {8, 8, 4}, {2, 2, 2}, {2, 4, 2}};

	java->scopes = scopes;
	java->blob_code_bytes = widths[scopes].code;
	java->nmethod_deopt_bytes = widths[scopes].deopt;
	java->blob_complete_bytes = widths[scopes].complete;
	if (scopes >= TM_JAVA_IMMUTABLE)
		java->nmethod_immutable = 0x60;
	if (scopes == TM_JAVA_IMMUTABLE) {
		java->blob_data = 0x2e;
		java->nmethod_metadata = 0x8e;
	} else if (scopes == TM_JAVA_MUTABLE) {
		java->blob_relocations = 0x34;
		java->nmethod_mutable = 0x68;
	} else {
		java->nmethod_metadata = 0x8c;
	}
	if (scopes == TM_JAVA_OFFSETS)
		java->class_file = 0x32;
	else
		java->pool_file = 0x22;
}

/* --- methods ---------------------------------------------------------------------------------- */

void java_process_symbol(uint64_t at, const char *text)
{
	fill(at, 16);
	java_process_put(at + runtime.java.symbol_length, strlen(text), 2);
	for (unsigned i = 0; text[i]; i++)
		java_process_put(at + runtime.java.symbol_text + i, (uint8_t)text[i], 1);
}

static void make_pool(const struct tm_java *java, unsigned n)
{
	uint64_t pool = JAVA_POOL(n), entries = pool + java->pool_entries;

	fill(pool, 0x100);
	fill(JAVA_KLASS(n), 0x100);
	sampled_store(pool + java->pool_holder, JAVA_KLASS(n));
	sampled_store(JAVA_KLASS(n) + java->class_name, JAVA_SYMBOL(n, JAVA_OF_CLASS));
	if (java->pool_file != TM_RUNTIME_NONE)
		java_process_put(pool + java->pool_file, FILE_INDEX, 2);
	else
		java_process_put(JAVA_KLASS(n) + java->class_file, FILE_INDEX, 2);
	/* The lowest bit of an entry may be a mark. */
	sampled_store(entries + 8ull * NAME_INDEX, JAVA_SYMBOL(n, JAVA_OF_NAME) | 1);
	sampled_store(entries + 8ull * SIGNATURE_INDEX, JAVA_SYMBOL(n, JAVA_OF_SIGNATURE));
	sampled_store(entries + 8ull * FILE_INDEX, JAVA_SYMBOL(n, JAVA_OF_FILE));
}

void java_process_method(unsigned n, const char *name)
{
	const struct tm_java *java = &sampled.runtime.java;
	const uint8_t lines[8] = {0x80, 1, 2, 0};
	uint64_t constant = JAVA_CONST(n);

	fill(JAVA_METHOD(n), 0x200);
	sampled_store(JAVA_METHOD(n) + java->method_const, constant);
	sampled_store(constant + java->const_pool, JAVA_POOL(n));
	java_process_put(constant + java->const_words,
			 (java->const_code + JAVA_BYTECODES + sizeof(lines)) / 8, 4);
	java_process_put(constant + java->const_flags, HAS_LINES | 0x10, 2);
	java_process_put(constant + java->const_code_bytes, JAVA_BYTECODES, 2);
	java_process_put(constant + java->const_name, NAME_INDEX, 2);
	java_process_put(constant + java->const_signature, SIGNATURE_INDEX, 2);
	bpf_host_write(JAVA_BYTECODE(n) + JAVA_BYTECODES, lines, sizeof(lines));
	make_pool(java, n);
	java_process_symbol(JAVA_SYMBOL(n, JAVA_OF_CLASS), "org/example/Program");
	java_process_symbol(JAVA_SYMBOL(n, JAVA_OF_NAME), name);
	java_process_symbol(JAVA_SYMBOL(n, JAVA_OF_SIGNATURE), "(I)V");
	java_process_symbol(JAVA_SYMBOL(n, JAVA_OF_FILE), "Program.java");
}

/* --- debug information ------------------------------------------------------------------------ */

/* share/utilities/unsigned5.hpp: 64 values of a byte say that another one follows, five at most. */
uint32_t java_scopes_number(struct java_scopes *scopes, uint32_t number)
{
	uint32_t excluded = sampled.runtime.version >= TM_JAVA_BYTE_ZERO, low = 192 - excluded;
	uint32_t bytes = 1;

	for (; number >= low && bytes < 5; bytes++) {
		number -= low;
		scopes->bytes[scopes->count++] = (uint8_t)(excluded + low + number % 64);
		number /= 64;
	}
	scopes->bytes[scopes->count++] = (uint8_t)(excluded + number);
	return bytes;
}

uint32_t java_scopes_add(struct java_scopes *scopes, uint32_t sender, unsigned method, int bci)
{
	uint32_t at;

	if (!scopes->count)
		scopes->bytes[scopes->count++] = 0; /* no scope is at 0 */
	at = scopes->count;
	java_scopes_number(scopes, sender);
	java_scopes_number(scopes, method + 1); /* 0: none */
	java_scopes_number(scopes, (uint32_t)(bci + 1));
	return at;
}

/* --- blobs ------------------------------------------------------------------------------------ */

/* A block of the heap: its segments lead to the first one. Return: its blob. */
static uint64_t take_block(unsigned heap, uint64_t bytes)
{
	uint64_t block = made.next[heap], first = (block - JAVA_MEMORY(heap)) / JAVA_SEGMENT_BYTES;
	uint64_t segments =
		(JAVA_BLOCK_BYTES + bytes + JAVA_SEGMENT_BYTES - 1) / JAVA_SEGMENT_BYTES;
	uint8_t back = 0;

	made.next[heap] += segments * JAVA_SEGMENT_BYTES;
	assert_true(made.next[heap] <= JAVA_MEMORY(heap) + JAVA_MEMORY_BYTES);
	for (uint64_t i = 0; i < segments; i++) {
		java_process_put(JAVA_SEGMENTS(heap) + first + i, back++, 1);
		if (back == FREE_SEGMENT)
			back = 1;
	}
	java_process_put(block + runtime.java.block_used, 1, 1);
	return block + JAVA_BLOCK_BYTES;
}

/* An offset from the start of the structure, or an address. */
static void put_place(uint64_t at, uint64_t place, uint64_t start, uint32_t bytes)
{
	java_process_put(at, bytes == 8 ? place : place - start, bytes);
}

/* Where the metadata are: the addresses of all methods. */
static void put_metadata(const struct tm_java *java, uint64_t at)
{
	if (java->scopes == TM_JAVA_IMMUTABLE) { /* in its data, behind the code */
		java_process_put(at + java->blob_data, made.metadata - 0x20 - at, 2);
		java_process_put(at + java->nmethod_metadata, 0x20, 2);
	} else if (java->scopes == TM_JAVA_MUTABLE) {
		java_process_put(at + java->nmethod_mutable, made.metadata - RELOCATIONS, 8);
		java_process_put(at + java->blob_relocations, RELOCATIONS, 4);
	} else {
		java_process_put(at + java->nmethod_metadata, made.metadata - at, 4);
	}
	for (unsigned i = 0; i < JAVA_METHODS_MADE; i++)
		sampled_store(made.metadata + 8ull * i, JAVA_METHOD(i));
}

/* PcDescs, then scopes; from where their offsets count. */
static void put_scopes(const struct tm_java *java, uint64_t at, uint64_t start,
		       const struct java_blob *blob)
{
	uint64_t pcs_bytes = blob->pc_count * sizeof(*blob->pcs);

	made.scopes = made.pcs + pcs_bytes;
	java_process_put(at + java->nmethod_pcs, made.pcs - start, 4);
	java_process_put(at + java->nmethod_pcs_end, made.scopes - start, 4);
	put_place(at + java->nmethod_scopes, made.scopes, start,
		  java->scopes == TM_JAVA_ADDRESS ? 8 : 4);
	if (pcs_bytes)
		bpf_host_write(made.pcs, blob->pcs, pcs_bytes);
	bpf_host_write(made.scopes, blob->scopes.bytes, sizeof(blob->scopes.bytes));
}

static void put_nmethod(const struct tm_java *java, uint64_t at, const struct java_blob *blob)
{
	uint64_t end = JAVA_CODE(at) + blob->bytes, start = at;

	made.nmethod = at;
	java_process_put(at + java->nmethod_method, JAVA_METHOD(blob->method), 8);
	java_process_put(at + java->nmethod_original_pc, JAVA_ORIGINAL_PC, 4);
	put_place(at + java->nmethod_deopt, end - JAVA_DEOPT, at, java->nmethod_deopt_bytes);
	made.metadata = end + 0x40;
	made.pcs = made.metadata + 8ull * JAVA_METHODS_MADE;
	if (java->scopes >= TM_JAVA_IMMUTABLE) {
		start = made.debug;
		java_process_put(at + java->nmethod_immutable, start, 8);
		made.pcs = start + 0x30;
		made.debug = made.pcs + blob->pc_count * sizeof(*blob->pcs) + 0x200;
	}
	if (java->scopes == TM_JAVA_MUTABLE) {
		made.metadata = made.debug + RELOCATIONS;
		made.debug += 0x100;
	}
	put_metadata(java, at);
	put_scopes(java, at, start, blob);
}

uint64_t java_process_blob(unsigned heap, const struct java_blob *blob)
{
	const struct tm_java *java = &sampled.runtime.java;
	uint64_t bytes = JAVA_BLOB_BYTES + blob->bytes + 0x200, at, title;

	if (java->scopes < TM_JAVA_IMMUTABLE)
		bytes += blob->pc_count * sizeof(*blob->pcs);
	at = take_block(heap, bytes);
	title = made.debug;
	made.debug += 0x100;
	bpf_host_write(title, blob->title, strlen(blob->title) + 1);
	fill(at, JAVA_BLOB_BYTES);
	java_process_put(at + java->blob_name, title, 8);
	java_process_put(at + java->blob_frame_words, blob->words, 4);
	java_process_put(at + java->blob_complete, (uint64_t)(int64_t)blob->complete,
			 java->blob_complete_bytes);
	put_place(at + java->blob_code, JAVA_CODE(at), at, java->blob_code_bytes);
	if (strstr(blob->title, "nmethod"))
		put_nmethod(java, at, blob);
	return at;
}

uint64_t java_process_nmethod(void)
{
	return made.nmethod;
}

uint64_t java_process_pcs(void)
{
	return made.pcs;
}

uint64_t java_process_metadata(void)
{
	return made.metadata;
}

/* --- process ---------------------------------------------------------------------------------- */

static void make_heaps(void)
{
	const struct tm_java *java = &sampled.runtime.java;

	sampled_store(JAVA_STATE, JAVA_ARRAY);
	fill(JAVA_ARRAY, 0x20);
	java_process_put(JAVA_ARRAY + java->array_length, JAVA_HEAPS_MADE, 4);
	sampled_store(JAVA_ARRAY + java->array_data, JAVA_ARRAY + 0x40);
	for (unsigned i = 0; i < JAVA_HEAPS_MADE; i++) {
		sampled_store(JAVA_ARRAY + 0x40 + 8ull * i, JAVA_HEAP(i));
		fill(JAVA_HEAP(i), 0x100);
		sampled_store(JAVA_HEAP(i) + java->heap_low, JAVA_MEMORY(i));
		sampled_store(JAVA_HEAP(i) + java->heap_high, JAVA_MEMORY(i) + JAVA_MEMORY_BYTES);
		sampled_store(JAVA_HEAP(i) + java->heap_segments, JAVA_SEGMENTS(i));
		java_process_put(JAVA_HEAP(i) + java->heap_shift, 7, 4);
		made.next[i] = JAVA_MEMORY(i);
		for (unsigned at = 0; at < JAVA_MEMORY_BYTES / JAVA_SEGMENT_BYTES; at++)
			java_process_put(JAVA_SEGMENTS(i) + at, FREE_SEGMENT, 1);
	}
	made.debug = JAVA_DEBUG;
}

void java_process_make_as(uint16_t scopes)
{
	static const char *const names[JAVA_METHODS_MADE] = {"native", "inner", "middle",
							     "outer",  "run",   "main"};
	static const uint32_t versions[TM_JAVA_SCOPES_N] = {8, 17, 23, 25};

	sampled_make(NULL);
	sampled.runtime = runtime;
	sampled.runtime.version = versions[scopes];
	choose(&sampled.runtime.java, scopes);
	make_heaps();
	for (unsigned i = 0; i < JAVA_METHODS_MADE; i++)
		java_process_method(i, names[i]);
	sampled_row(LEAF, RULE(SP, 8));
	sampled_row(CALLER, (struct tm_rule){.cfa = TM_CFA_FP,
					     .cfa_offset = 16,
					     .ra = TM_SAVED_CFA,
					     .ra_offset = -8,
					     .fp = TM_SAVED_CFA,
					     .fp_offset = -16});
	sampled_row(START, RULE_END);
}

int java_process_make(void **state)
{
	java_process_make_as(TM_JAVA_ADDRESS);
	return 0;
}

void java_process_met(void)
{
	struct pt_regs registers = sampled.registers;

	sampled_install();
	sampled.registers.rip = CODE(LEAF);
	sampled_once();
	sampled.registers = registers;
}

void java_process_interpreted(uint64_t fp, uint64_t caller_fp, uint64_t ra, uint64_t sp,
			      unsigned method, uint64_t bci)
{
	sampled_words(fp - 8, sp, caller_fp, ra);
	sampled_store(fp + 8ull * (uint64_t)JAVA_FRAME_METHOD, JAVA_METHOD(method));
	sampled_store(fp + 8ull * (uint64_t)JAVA_FRAME_CODE, JAVA_BYTECODE(method) + bci);
}
