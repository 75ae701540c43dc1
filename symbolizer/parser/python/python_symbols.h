/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_symbols - the symbols by which a file is known to have CPython's interpreter
 *
 * Cost       a file whose .dynstr and .strtab do not have the name of the runtime's state is done
 *            after one search in each.
 * Limits     PYTHON_SYMBOLS_TABLE_MAX: a larger table of symbols or strings is not read.
 */

#include "symbolizer/parser/elf/sections.h"

#define PYTHON_SYMBOLS_TABLE_MAX (32u << 20) /* bytes */

enum python_symbol {
	PYTHON_STATE,       /* _PyRuntime */
	PYTHON_LOOP,        /* _PyEval_EvalFrameDefault */
	PYTHON_VERSION,     /* Py_Version, 3.11 on */
	PYTHON_GET_VERSION, /* Py_GetVersion */
	PYTHON_SYMBOLS_N,
};

struct python_symbol_place {
	uint64_t vaddr; /* 0: absent */
	uint64_t bytes;
};

struct python_symbols {
	struct python_symbol_place list[PYTHON_SYMBOLS_N];
};

/* Reads .dynsym and, for what is not there, .symtab. Return: 0, or an enum parser_status. */
int python_symbols_read(struct python_symbols *ret_symbols, const struct sections *sections);
