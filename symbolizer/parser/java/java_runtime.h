/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_runtime - describes the HotSpot that a file contains
 *
 * A file without it, or with tables that do not tell all that is needed, has no description:
 * nothing is guessed. The version is what Abstract_VM_Version::_vm_major_version begins with: from
 * 9 on it is Java's, before it is 0 until HotSpot runs.
 *
 * Stubs      where their descriptions are is known where the file has a .symtab.
 * Codelets   their names are known where the tables tell all of them; else all but those.
 *
 * Cost       a file whose .dynstr does not have the name of the table of fields is done after one
 *            search in it.
 */

#include "shared/runtime.h"
#include "symbolizer/parser/elf/sections.h"

/* @ret_runtime: its kind is 0 if there is none. Return: 0, or an enum parser_status. */
int java_runtime_find(struct tm_runtime *ret_runtime, const struct sections *sections);
