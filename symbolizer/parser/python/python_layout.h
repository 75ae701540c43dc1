/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_layout - where the fields lie that the unwinder reads, by version of CPython
 *
 * CPython promises nothing for its internal structures, but keeps them as they are once 3.x is
 * released. From 3.13 on the runtime's state begins with a table of their offsets
 * (_Py_DebugOffsets), whose own form is new in each 3.x.
 *
 * Source     offsetof() with the headers of 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0,
 *            which shared/runtime.h names; Include/internal/pycore_debug_offsets.h of 3.14.10 and
 *            3.15.2.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/runtime.h"

#define PYTHON_LAYOUT_PUBLISHED 0x030du /* the first version with the table of offsets */
#define PYTHON_LAYOUT_HEAD      752u /* bytes of the state that hold what is read of that table */

/* @version: as in struct tm_runtime. @head: where the runtime's state begins, @bytes of it, at most
 * PYTHON_LAYOUT_HEAD; read from PYTHON_LAYOUT_PUBLISHED on.
 * Return: false: not known. */
bool python_layout_find(struct tm_python *ret_python, uint32_t version, const void *head,
			size_t bytes);
