/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compile_input - compiles a small ELF file, one part of which is the fuzzer's input
 */

#include "tests/unit/parser/cfi_builder.h"

/* Compiles; a table that comes out must pass its check and find a rule for any place. */
void compile_input_section(enum cfi_builder_part part, const uint8_t *data, size_t bytes);
/* The same of code, which begins with a call and is called at its 16th byte. */
void compile_input_code(const uint8_t *data, size_t bytes);
/* What must hold for each table that passed its check. */
void compile_input_check_table(const void *blob, size_t bytes);
