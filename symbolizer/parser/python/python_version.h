/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_version - which version of CPython a file contains
 *
 * From 3.11 on the constant Py_Version says it. Before that it is the text that Py_GetVersion()
 * prints first: its code refers to it. Only released versions count: what comes before a release
 * has other structures, and forks have their own names.
 *
 * Limits     PYTHON_VERSION_CODE_MAX; a larger Py_GetVersion() is none.
 */

#include "symbolizer/parser/python/python_symbols.h"

#define PYTHON_VERSION_CODE_MAX 1024u /* bytes */

/* @ret_version: as in struct tm_runtime; 0: not known. Return: 0, or an enum parser_status. */
int python_version_read(uint32_t *ret_version, const struct sections *sections,
			const struct python_symbols *symbols);
