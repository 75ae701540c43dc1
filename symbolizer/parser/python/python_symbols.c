/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_symbols - the symbols by which a file is known to have CPython's interpreter
 */

#include "symbolizer/parser/python/python_symbols.h"

int python_symbols_read(struct python_symbols *ret_symbols, const struct sections *sections)
{
	struct named_symbol *list = ret_symbols->list;
	int r;

	*ret_symbols = (struct python_symbols){{
		[PYTHON_STATE].name = "_PyRuntime",
		[PYTHON_LOOP].name = "_PyEval_EvalFrameDefault",
		[PYTHON_VERSION].name = "Py_Version",
		[PYTHON_GET_VERSION].name = "Py_GetVersion",
	}};
	r = named_symbols_read(list, PYTHON_SYMBOLS_N, sections, SHT_DYNSYM);
	if (!r && !(list[PYTHON_STATE].vaddr && list[PYTHON_LOOP].vaddr))
		r = named_symbols_read(list, PYTHON_SYMBOLS_N, sections, SHT_SYMTAB);
	return r;
}
