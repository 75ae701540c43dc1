/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_builder - builds a small ELF file that has what a CPython interpreter is known by
 *
 * The file of cfi_builder.h with an evaluation loop of nops, which has an FDE, and the content at
 * PYTHON_BUILDER_CONTENT. Its symbols: none, _PyRuntime, _PyEval_EvalFrameDefault, Py_Version,
 * Py_GetVersion.
 */

#include "tests/unit/parser/cfi_builder.h"

#define PYTHON_BUILDER_CONTENT    0xf000u /* in the file */
#define PYTHON_BUILDER_LOOP       0x2000u
#define PYTHON_BUILDER_LOOP_BYTES 0x1000u
#define PYTHON_BUILDER_GET        0x1800u /* Py_GetVersion() */
#define PYTHON_BUILDER_WORDS      96u

enum python_builder_symbol {
	PYTHON_BUILDER_STATE = 1,
	PYTHON_BUILDER_EVAL,
	PYTHON_BUILDER_VERSION,
	PYTHON_BUILDER_GET_VERSION,
	PYTHON_BUILDER_SYMBOLS = 8,
};

struct python_builder_content {
	Elf64_Sym symbols[PYTHON_BUILDER_SYMBOLS];
	char strings[128];
	uint64_t version;                     /* Py_Version */
	char text[16];                        /* what Py_GetVersion() prints */
	uint64_t state[PYTHON_BUILDER_WORDS]; /* _PyRuntime; word n has the value 8 * n */
};

struct python_builder {
	struct cfi_builder elf;
	struct python_builder_content *content; /* in it */
	Elf64_Shdr *symbols;                    /* the header of .dynsym; its strings follow */
	uint32_t cie;
};

/* @version: 3.11.2 is 0x030b02f0; below 3.11 there is no Py_Version, but Py_GetVersion(). */
void python_builder_open(struct python_builder *builder, uint32_t version);
/* A jump of 5 bytes between two offsets in the file. */
void python_builder_jump(struct python_builder *builder, uint32_t from, uint32_t to);
/* A function with an FDE. */
void python_builder_function(struct python_builder *builder, uint32_t offset, uint32_t bytes);
/* The address of a place in the file. */
uint64_t python_builder_vaddr(uint64_t offset);
