/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_process - a sampled process that runs HotSpot, with structures of a made-up version
 *
 * SAMPLED_CODE is libjvm.so. There, LEAF is called by code of HotSpot's, and CALLER, which keeps a
 * frame pointer, calls it; START is the outermost function. SAMPLED_JIT has two code heaps.
 */

#include "tests/unit/bpf/sampled.h"

#define JAVA_STATE         SAMPLED_DATA /* CodeCache::_heaps */
#define JAVA_ARRAY         (SAMPLED_DATA + 0x100)
#define JAVA_HEAPS_MADE    2u
#define JAVA_HEAP(n)       (SAMPLED_DATA + 0x200 + 0x100ull * (n)) /* CodeHeap; its memory: */
#define JAVA_MEMORY(n)     (SAMPLED_JIT + JAVA_MEMORY_BYTES * (n))
#define JAVA_MEMORY_BYTES  (SAMPLED_BYTES / JAVA_HEAPS_MADE)
#define JAVA_SEGMENTS(n)   (SAMPLED_DATA + 0x1000 + 0x400ull * (n)) /* one behind the other */
#define JAVA_SEGMENT_BYTES 128u
#define JAVA_BLOCK_BYTES   16u /* of a HeapBlock, which lies before a CodeBlob */
#define JAVA_BLOB_BYTES    0x200u
#define JAVA_CODE(blob)    ((blob) + JAVA_BLOB_BYTES)
#define JAVA_METHOD(n)     (SAMPLED_DATA + 0x8000 + 0x1000ull * (n))
#define JAVA_METHODS_MADE  6u
#define JAVA_CONST(n)      (JAVA_METHOD(n) + 0x100)
#define JAVA_BYTECODE(n)   (JAVA_CONST(n) + 0x38)
#define JAVA_BYTECODES     0x20u /* bytes */
#define JAVA_POOL(n)       (JAVA_METHOD(n) + 0x200)
#define JAVA_KLASS(n)      (JAVA_METHOD(n) + 0x300)
#define JAVA_SYMBOL(n, of) (JAVA_METHOD(n) + 0x400 + 0x100ull * (of))
#define JAVA_DEBUG         (SAMPLED_DATA + 0x10000) /* what is not in the blob itself */
#define JAVA_FRAME_METHOD  (-3)                     /* words from an interpreter's fp */
#define JAVA_FRAME_CODE    (-8)
#define JAVA_DEOPT         0x10u /* the deopt handler, from the end of the code */
#define JAVA_ORIGINAL_PC   0x18u /* from sp */

enum java_symbol_of {
	JAVA_OF_CLASS,
	JAVA_OF_NAME,
	JAVA_OF_SIGNATURE,
	JAVA_OF_FILE,
	JAVA_OF_N
};

/* Debug information: UNSIGNED5 numbers, of the version in sampled.runtime. */
struct java_scopes {
	uint8_t bytes[256];
	uint32_t count;
};

struct java_pc { /* a PcDesc */
	int32_t pc;
	int32_t scope;
	uint64_t rest;
};

struct java_blob {
	const char *title;
	uint32_t words; /* of its frame, return address included */
	int32_t complete;
	uint32_t bytes;  /* of its code */
	unsigned method; /* this and the rest: of an nmethod */
	const struct java_pc *pcs;
	uint32_t pc_count;
	struct java_scopes scopes;
};

/* Methods, heaps and the layout TM_JAVA_ADDRESS. For the setup. */
int java_process_make(void **state);
/* The same with another layout, enum tm_java_scopes. */
void java_process_make_as(uint16_t scopes);
/* Makes a sample in libjvm.so, by which the programs know where the runtime is. */
void java_process_met(void);
/* Stores a number of 1 to 8 bytes. */
void java_process_put(uint64_t address, uint64_t value, uint32_t bytes);
void java_process_symbol(uint64_t at, const char *text);
void java_process_method(unsigned n, const char *name);

/* Puts a number; the bytes that it takes. */
uint32_t java_scopes_number(struct java_scopes *scopes, uint32_t number);
/* Adds a scope. Return: its place, for a PcDesc or as the sender of another one. */
uint32_t java_scopes_add(struct java_scopes *scopes, uint32_t sender, unsigned method, int bci);

/* Makes a CodeBlob in a heap, behind the one that was made there last. Return: its address. */
uint64_t java_process_blob(unsigned heap, const struct java_blob *blob);
/* The last nmethod, and where its PcDescs and metadata are. */
uint64_t java_process_nmethod(void);
uint64_t java_process_pcs(void);
uint64_t java_process_metadata(void);

/* An interpreter's frame: the caller's fp, its address, the sp that it goes on with; the method
 * with this bytecode. */
void java_process_interpreted(uint64_t fp, uint64_t caller_fp, uint64_t ra, uint64_t sp,
			      unsigned method, uint64_t bci);
