/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_symbols - the functions of a pclntab as a list of symbols
 */

#include "symbolizer/parser/go/pclntab.h"
#include "symbolizer/parser/symbols/symbol_list.h"

/* The names are those in the table. Return: 0, PARSER_FAILED (memory). */
int pclntab_symbols_read(const struct pclntab *pclntab, struct symbol_list *list);
