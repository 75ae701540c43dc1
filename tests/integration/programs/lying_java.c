/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lying_java - loads a libjvm.so without a JVM, and has structures in memory that lie for its own
 *
 * usage: lying_java LIBJVM LIE MS [SEED] - tells one of `lies` for MS milliseconds of CPU time, and
 *        has its name for the name of its thread. `honest` and `inlined` are those whose structures
 *        are right. `tables` is for a LIBJVM whose tables lie: it has memory at random for all.
 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/integration/programs/forged_java.h"
#include "tests/integration/programs/java_tables.h"

/* What was written is in memory, where the profiler reads it. */
#define WRITTEN() __asm__ volatile("" ::: "memory")

#define TURNS     1000000ul
#define UNMAPPED  ((void *)0x123456789000)
#define KERNEL    ((void *)0xffff888000000000)

static atomic_bool over;
static bool is_compiled;
static uint8_t *own_code; /* NULL: that of a blob */
static unsigned long calls = 2;

static void honest(void)
{
}

static void inlined(void)
{
	is_compiled = true;
}

/* Each scope's caller is the one before it. */
static void many_scopes(void)
{
	const int32_t place[] = {0x1000, 180};
	void *const same = forged.method;

	is_compiled = true;
	for (uint32_t i = 1; i < 190; i++)
		forged.scopes[i] = (uint8_t)(java_version() >= 20 ? i : i - 1);
	memcpy(forged.pcs + 16, place, sizeof(place));
	for (uint32_t i = 0; i < 200; i++) /* whatever the index of the method is */
		memcpy(forged.metadata + sizeof(same) * i, &same, sizeof(same));
}

/* Their end lies behind all memory, and all of them are for this place. */
static void many_pcs(void)
{
	uint8_t *of = forged_blob_at(FORGED_COMPILED);

	is_compiled = true;
	java_set(of, "nmethod", "_scopes_pcs_offset", 16);
	java_set(of, "nmethod", "_dependencies_offset", 0x7fffffff);
	java_set(of, "nmethod", "_scopes_data_offset", 0x7fffffff);
}

/* One segment back, again and again, and never at the first one. */
static void long_segments(void)
{
	memset(forged.segments, 1, sizeof(forged.segments));
}

static void segments_outside(void)
{
	uint8_t *map = forged.heap + java_offset("CodeHeap", "_segmap");

	memset(forged.segments, 0xfe, sizeof(forged.segments));
	java_set(map, "VirtualSpace", "_low", (uint64_t)KERNEL);
}

static void endless_heaps(void)
{
	for (uint32_t i = 0; i < 64; i++)
		forged.heaps[i] = i % 2 ? UNMAPPED : KERNEL;
	java_set(forged.array, "GrowableArrayBase", "_len", 0x7fffffff);
	java_set(forged.array, "GenericGrowableArray", "_len", 0x7fffffff);
}

/* The forged.heap has the stacks, all libraries, and what is no memory. */
static void whole_memory(void)
{
	uint8_t *memory = forged.heap + java_offset("CodeHeap", "_memory");

	java_set(memory, "VirtualSpace", "_low", 1);
	java_set(memory, "VirtualSpace", "_high_boundary", UINT64_MAX);
	java_set(forged.heap, "CodeHeap", "_log2_segment_size", 255);
}

/* Controls, what separates frames and lines in the outputs, and no UTF-8. */
static void fill(uint8_t *bytes)
{
	static const char text[] = "\n\r\033[31m;INJECTED 1\n;INJECTED\t<script>\200\377\0.(";

	for (size_t i = 0; i < FORGED_TEXT_BYTES; i++)
		bytes[i] = (uint8_t)text[i % (sizeof(text) - 1)];
}

static void stub_names(void)
{
	static uint8_t name[FORGED_TEXT_BYTES];

	fill(name);
	is_compiled = true;
	java_set(forged_blob_at(FORGED_COMPILED), "CodeBlob", "_name", (uint64_t)name);
}

static void long_symbols(void)
{
	for (uint32_t i = 0; i < 4; i++) {
		fill(forged.symbols[i] + java_offset("Symbol", "_body"));
		java_set(forged.symbols[i], "Symbol", "_length", FORGED_TEXT_BYTES);
	}
	java_set(forged.constant, "ConstMethod", "_constMethod_size", 0x7fffffff);
	java_set(forged.constant, "ConstMethod", "_code_size", 0xffff);
}

static void wide_frames(void)
{
	is_compiled = true;
	java_set(forged_blob_at(FORGED_COMPILED), "CodeBlob", "_frame_size", 0x1ffff);
	java_set(forged_blob_at(FORGED_COMPILED), "CodeBlob", "_frame_complete_offset", 0x7fff);
}

static void unmapped(void)
{
	is_compiled = true;
	java_set(forged.method, "Method", "_constMethod", (uint64_t)UNMAPPED);
	java_set(forged_blob_at(FORGED_COMPILED), "nmethod", "_immutable_data", (uint64_t)KERNEL);
	java_set(forged_blob_at(FORGED_COMPILED), "CompiledMethod", "_scopes_data_begin",
		 (uint64_t)KERNEL);
}

static void cyclic_frames(void)
{
	calls = 0;
	forged_blob(FORGED_INTERPRETER, "Interpreter", forged.cyclic);
}

static void *change(void *context)
{
	void *const places[] = {forged.symbols[0], forged.symbols[1], UNMAPPED, KERNEL, NULL,
				forged.method,     forged.code};

	(void)context;
	for (uint32_t i = 0; !atomic_load_explicit(&over, memory_order_relaxed); i++) {
		java_set(forged.method, "Method", "_constMethod",
			 (uint64_t)(i % 3 ? (void *)forged.constant : places[i % 7]));
		java_set(forged.class, "Klass", "_name", (uint64_t)places[i % 5]);
		forged_pool(FORGED_NAME_AT, places[i % 7]);
		java_set(forged.symbols[i % 4], "Symbol", "_length", i % 11 ? 8 : i);
		java_set(forged.constant, "ConstMethod", "_constMethod_size", i % 13 ? 64 : i);
		forged.segments[i % 32] = (uint8_t)(i % 32);
		java_set(forged.array, "GrowableArrayBase", "_len", i % 3);
		java_set(forged_blob_at(FORGED_COMPILED), "CodeBlob", "_frame_size",
			 i % 17 ? FORGED_FRAME_WORDS : i);
		java_set(forged_blob_at(FORGED_COMPILED), "nmethod", "_scopes_pcs_offset",
			 i % 19 ? i : 0);
		WRITTEN();
	}
	return NULL;
}

static void changing(void)
{
	pthread_t changer;

	if (pthread_create(&changer, NULL, change, NULL))
		exit(1);
}

/* All structures are one memory of addresses in itself and in the heap. */
static void tables(void)
{
	static void *memory[1u << 14];
	const size_t words = FORGED_BYTES / sizeof(void *), half = 1u << 13;
	void **heap = (void **)(void *)forged.code;

	for (size_t i = 0; i < 2 * half; i++)
		memory[i] = i % 4 ? (void *)&memory[(size_t)rand() % half] : &heap[i];
	for (size_t i = 0; i < words; i++)
		heap[i] = &memory[(size_t)rand() % half];
	own_code = forged.code + FORGED_CODE_AT;
	memcpy(own_code, forged.interpreter, (size_t)(forged.end - forged.interpreter));
	memory[0] = memory[1] = (void *)1;
	*(void **)java_static("CodeCache", "_heaps") = memory;
}

static const struct {
	const char *name;
	void (*tell)(void);
} lies[] = {
	{"honest", honest},
	{"inlined", inlined},
	{"many_scopes", many_scopes},
	{"many_pcs", many_pcs},
	{"long_segm", long_segments},
	{"segm_outside", segments_outside},
	{"endl_heaps", endless_heaps},
	{"whole_mem", whole_memory},
	{"stub_names", stub_names},
	{"long_symb", long_symbols},
	{"wide_frames", wide_frames},
	{"unmapped", unmapped},
	{"cyclic", cyclic_frames},
	{"changing", changing},
	{"tables", tables},
};

static int64_t cpu_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void run(int64_t end_ms)
{
	uint32_t segment = is_compiled ? FORGED_COMPILED : FORGED_INTERPRETER;
	uint8_t *at = own_code ? own_code : forged_blob_at(segment) + FORGED_CODE_AT;
	const uint8_t *bytecode = forged.constant + java_size("ConstMethod") + 3;
	forged_fn *function;

	memcpy(&function, &at, sizeof(at));
	while (cpu_ms() < end_ms)
		function(forged.method, bytecode, TURNS, calls);
}

int main(int argc, char **argv)
{
	char comm[16];
	void *library = argc >= 4 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!library || !java_tables_open(library)) {
		(void)fprintf(stderr, "usage: lying_java LIBJVM LIE MS [SEED]; no LIBJVM: %s\n",
			      argc >= 4 ? dlerror() : "none given");
		return 2;
	}
	if (forged_map())
		return 1;
	srand(argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 1);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (strcmp(argv[2], lies[i].name) != 0)
			continue;
		(void)snprintf(comm, sizeof(comm), "lie-%s", lies[i].name);
		(void)prctl(PR_SET_NAME, comm);
		if (lies[i].tell != tables)
			forged_make();
		lies[i].tell();
		run(strtol(argv[3], NULL, 10));
		atomic_store_explicit(&over, true, memory_order_relaxed);
		return 0;
	}
	return 2;
}
