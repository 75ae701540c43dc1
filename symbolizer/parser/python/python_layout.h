/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_layout - where the fields lie that the unwinder reads, by version of CPython
 *
 * Source     offsetof() with the headers of each version: shared/runtime.h names them. Python makes
 *            no promise for internal structures, but keeps them within 3.x once that is released.
 */

#include "shared/runtime.h"

/* @version: as in struct tm_runtime. Return: NULL: not known. */
const struct tm_python *python_layout_find(uint32_t version);
