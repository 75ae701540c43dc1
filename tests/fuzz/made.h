/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * made - bytes from anywhere as one part of a small ELF file, through the compiler of rows
 */

#include "tests/unit/parser/cfimake.h"

/* Compiles; a table that comes out must pass its check and find a rule for any place. */
void made_run(enum cfimake_part part, const uint8_t *data, size_t bytes);
/* The same of code, which begins with a call and is called at its 16th byte. */
void made_run_code(const uint8_t *data, size_t bytes);
/* What must hold for each table that passed its check. */
void made_find_everywhere(const void *blob, size_t bytes);
