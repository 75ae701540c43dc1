/* SPDX-License-Identifier: Apache-2.0 */
/* forged_java - a code heap of a HotSpot that is not there, with two CodeBlobs that run */

#include "tests/integration/programs/forged_java.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/integration/programs/java_tables.h"

#define SIGNATURE_AT 3u /* in the constant pool */
#define FILE_AT      4u
#define DEBUG_AT     (FORGED_CODE_AT + 512) /* in the blob of the compiled code */
#define SCOPES_AT    48                     /* from the PcDescs */
#define METADATA_AT  1024

extern const uint8_t interpreter_code[], compiled_code[], cyclic_code[], code_end[];
__asm__(".text\n"
	"interpreter_code:\n"
	"push %rbp; mov %rsp,%rbp; sub $0x60,%rsp; lea 16(%rbp),%rax; mov %rax,-8(%rbp)\n"
	"movq $0,-16(%rbp); mov %rdi,-24(%rbp); mov %rsi,-56(%rbp); mov %rsi,-64(%rbp)\n"
	"test %rcx,%rcx; jz 1f; dec %rcx; call interpreter_code; jmp 2f\n"
	"1: dec %rdx; jnz 1b; 2: leave; ret\n"
	"compiled_code:\n"
	"push %rbp; sub $16,%rsp; 1: dec %rdx; jnz 1b; add $16,%rsp; pop %rbp; ret\n"
	"cyclic_code:\n" /* its caller is itself, by its saved frame pointer */
	"push %rbp; mov %rsp,%rbp; sub $0x60,%rsp; mov (%rbp),%r8; mov 8(%rbp),%r9\n"
	"movq $0,-8(%rbp); mov %rdi,-24(%rbp); mov %rsi,-56(%rbp); mov %rsi,-64(%rbp)\n"
	"mov %rbp,(%rbp); lea 1f(%rip),%rax; mov %rax,8(%rbp)\n"
	"1: dec %rdx; jnz 1b; mov %r8,(%rbp); mov %r9,8(%rbp); leave; ret\n"
	"code_end:\n");

struct forged forged;

uint8_t *forged_blob_at(uint32_t segment)
{
	return forged.code + (segment << FORGED_SHIFT) + java_size("HeapBlock");
}

static void symbol_set(uint32_t index, const char *text, size_t bytes)
{
	java_set(forged.symbols[index], "Symbol", "_length", bytes);
	memcpy(forged.symbols[index] + java_offset("Symbol", "_body"), text, bytes);
}

void forged_pool(uint32_t index, const void *symbol)
{
	memcpy(forged.pool + java_size("ConstantPool") + 8 * index, &symbol, 8);
}

static void make_method(void)
{
	symbol_set(0, "lie/Story", 9);
	symbol_set(1, "invented", 8);
	symbol_set(2, "(IJ)V", 5);
	symbol_set(3, "Story.java", 10);
	java_set(forged.method, "Method", "_constMethod", (uint64_t)forged.constant);
	java_set(forged.constant, "ConstMethod", "_constants", (uint64_t)forged.pool);
	java_set(forged.constant, "ConstMethod", "_constMethod_size", 64);
	java_set(forged.constant, "ConstMethod", "_code_size", 16);
	java_set(forged.constant, "ConstMethod", "_name_index", FORGED_NAME_AT);
	java_set(forged.constant, "ConstMethod", "_signature_index", SIGNATURE_AT);
	java_set(forged.pool, "ConstantPool", "_pool_holder", (uint64_t)forged.class);
	java_set(forged.pool, "ConstantPool", "_source_file_name_index", FILE_AT);
	java_set(forged.class, "InstanceKlass", "_source_file_name_index", FILE_AT);
	java_set(forged.class, "Klass", "_name", (uint64_t)forged.symbols[0]);
	forged_pool(FORGED_NAME_AT, forged.symbols[1]);
	forged_pool(SIGNATURE_AT, forged.symbols[2]);
	forged_pool(FILE_AT, forged.symbols[3]);
}

void forged_blob(uint32_t segment, const char *name, const uint8_t *from)
{
	uint8_t *head = forged.code + (segment << FORGED_SHIFT), *of = forged_blob_at(segment);

	for (uint32_t i = 1; i < 32; i++)
		forged.segments[segment + i] = (uint8_t)i;
	java_set(head + java_offset("HeapBlock", "_header"), "HeapBlock::Header", "_length", 32);
	java_set(head + java_offset("HeapBlock", "_header"), "HeapBlock::Header", "_used", 1);
	java_set(of, "CodeBlob", "_name", (uint64_t)name);
	java_set(of, "CodeBlob", "_frame_size", FORGED_FRAME_WORDS);
	java_set(of, "CodeBlob", "_frame_complete_offset", 5);
	java_set(of, "CodeBlob", "_code_begin", (uint64_t)(of + FORGED_CODE_AT));
	java_set(of, "CodeBlob", "_code_offset", FORGED_CODE_AT);
	memcpy(of + FORGED_CODE_AT, from, (size_t)(code_end - from));
}

/* The debug information of the compiled code: from the start of its blob, or as memory apart. */
static void place_debug(void)
{
	uint8_t *of = forged_blob_at(FORGED_COMPILED);
	bool apart = java_has("nmethod", "_immutable_data");
	uint64_t away = apart ? 0 : DEBUG_AT;

	forged.pcs = apart ? forged.debug : of + away;
	forged.scopes = forged.pcs + SCOPES_AT;
	forged.metadata = forged.pcs + METADATA_AT;
	java_set(of, "nmethod", "_immutable_data", (uint64_t)forged.pcs);
	java_set(of, "nmethod", "_scopes_pcs_offset", away);
	java_set(of, "nmethod", "_dependencies_offset", away + SCOPES_AT);
	java_set(of, "nmethod", "_scopes_data_offset", away + SCOPES_AT);
	java_set(of, "CompiledMethod", "_scopes_data_begin", (uint64_t)forged.scopes);
	java_set(of, "nmethod", "_metadata_offset", apart ? 0 : away + METADATA_AT);
	java_set(of, "CodeBlob", "_mutable_data", (uint64_t)forged.metadata);
	java_set(of, "CodeBlob", "_relocation_size", 0);
	if (!apart || java_has("CodeBlob", "_mutable_data"))
		return;
	java_set(of, "CodeBlob", "_data_offset", DEBUG_AT + METADATA_AT);
	forged.metadata = of + DEBUG_AT + METADATA_AT;
}

/* The scope at 8 is that of a call in the one at 4. */
static void make_debug(void)
{
	const int32_t pcs[] = {-1, 0, 0, 0, 0x1000, 8, 0, 0, 0x7fffffff, 0, 0, 0};
	/* Sender, index of the method, bytecode + 1; from 20 on no byte of a number is 0. */
	uint8_t scopes[] = {0, 1, 3, 0, 4, 2, 5};
	void *const methods[] = {forged.method, forged.method};
	uint8_t *of = forged_blob_at(FORGED_COMPILED);

	java_set(of, "nmethod", "_method", (uint64_t)forged.method);
	java_set(of, "CompiledMethod", "_method", (uint64_t)forged.method);
	java_set(of, "nmethod", "_compile_id", 7);
	for (size_t i = 0; java_version() >= 20 && i < sizeof(scopes); i++)
		scopes[i]++;
	memcpy(forged.pcs, pcs, sizeof(pcs));
	memcpy(forged.scopes + 4, scopes, sizeof(scopes));
	memcpy(forged.metadata, methods, sizeof(methods));
}

static void make_heap(void)
{
	uint8_t *memory = forged.heap + java_offset("CodeHeap", "_memory");
	uint8_t *map = forged.heap + java_offset("CodeHeap", "_segmap");

	java_set(memory, "VirtualSpace", "_low", (uint64_t)forged.code);
	java_set(memory, "VirtualSpace", "_high_boundary", (uint64_t)(forged.code + FORGED_BYTES));
	java_set(map, "VirtualSpace", "_low", (uint64_t)forged.segments);
	java_set(forged.heap, "CodeHeap", "_log2_segment_size", FORGED_SHIFT);
	forged.heaps[0] = forged.heap;
	java_set(forged.array, "GrowableArrayBase", "_len", 1);
	java_set(forged.array, "GenericGrowableArray", "_len", 1);
	java_set(forged.array, "GrowableArray<int>", "_data", (uint64_t)forged.heaps);
	if (java_has("CodeCache", "_heaps"))
		*(void **)java_static("CodeCache", "_heaps") = forged.array;
	else
		*(void **)java_static("CodeCache", "_heap") = forged.heap;
}

int forged_map(void)
{
	forged.interpreter = interpreter_code;
	forged.compiled = compiled_code;
	forged.cyclic = cyclic_code;
	forged.end = code_end;
	forged.code = mmap(NULL, FORGED_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (forged.code == MAP_FAILED)
		return -errno;
	return 0;
}

void forged_make(void)
{
	make_method();
	make_heap();
	forged_blob(FORGED_INTERPRETER, "Interpreter", interpreter_code);
	forged_blob(FORGED_COMPILED, "nmethod", compiled_code);
	place_debug();
	make_debug();
}
