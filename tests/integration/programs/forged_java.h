/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * forged_java - a code heap of a HotSpot that is not there, with two CodeBlobs that run: an
 * interpreter and compiled code, each a loop that makes the frames which its blob promises
 *
 * The fields lie where java_tables says. Both run the method lie.Story.invented (Story.java).
 */

#include <stddef.h>
#include <stdint.h>

#define FORGED_BYTES       (1u << 20) /* of the heap */
#define FORGED_SHIFT       7u         /* of its segments */
#define FORGED_INTERPRETER 0u         /* segments where the blobs begin */
#define FORGED_COMPILED    32u
#define FORGED_CODE_AT     2048u /* in a blob, behind its head */
#define FORGED_FRAME_WORDS 4     /* of the compiled code */
#define FORGED_HEAPS       64u
#define FORGED_TEXT_BYTES  65535u
#define FORGED_NAME_AT     2u /* in the constant pool */

/* What a blob's code is: method, bytecode, turns of its loop, calls of itself. */
typedef void forged_fn(const void *, const void *, unsigned long, unsigned long);

struct forged {
	uint8_t *code; /* the heap */
	uint8_t segments[FORGED_BYTES >> FORGED_SHIFT];
	uint8_t heap[512], method[256], constant[4096], pool[4096], class[1024];
	uint8_t array[64]; /* of heaps */
	void *heaps[FORGED_HEAPS];
	/* Of the class, the method, its signature, its file; each at an even address. */
	uint8_t symbols[4][FORGED_TEXT_BYTES + 65];
	uint8_t *pcs, *scopes, *metadata; /* of the compiled code */
	uint8_t debug[1u << 16];          /* where they are, if not in the blob */
	/* Parts of this file's code that blobs may have, as `forged_blob` takes them. */
	const uint8_t *interpreter, *compiled, *cyclic, *end;
};

extern struct forged forged;

/* Maps the heap. Return: -errno, 0. */
int forged_map(void);
/* After it: all structures, which are right. */
void forged_make(void);
uint8_t *forged_blob_at(uint32_t segment);
/* @from: forged.interpreter, forged.compiled, or forged.cyclic, whose caller is itself. */
void forged_blob(uint32_t segment, const char *name, const uint8_t *from);
void forged_pool(uint32_t index, const void *symbol);
