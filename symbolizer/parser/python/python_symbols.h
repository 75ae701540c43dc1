/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_symbols - the symbols by which a file is known to have CPython's interpreter
 */

#include "symbolizer/parser/elf/named_symbols.h"

enum python_symbol {
	PYTHON_STATE,       /* _PyRuntime */
	PYTHON_LOOP,        /* _PyEval_EvalFrameDefault */
	PYTHON_VERSION,     /* Py_Version, 3.11 on */
	PYTHON_GET_VERSION, /* Py_GetVersion */
	PYTHON_SYMBOLS_N,
};

struct python_symbols {
	struct named_symbol list[PYTHON_SYMBOLS_N];
};

/* Reads .dynsym and, for what is not there, .symtab. Return: 0, or an enum parser_status. */
int python_symbols_read(struct python_symbols *ret_symbols, const struct sections *sections);
