/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_module - the module data of a Go program, which says where parts of it lie
 */

#include "symbolizer/parser/go/pclntab.h"

/* The address to which the offsets of inline trees are relative (gofunc), since Go 1.18; 0: the
 * module data was not found. Return: 0, or an enum parser_status. */
int pclntab_module_inline_trees(const struct pclntab *pclntab, const struct sections *sections,
				uint64_t *ret_vaddr);
