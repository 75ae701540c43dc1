/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compile_input - compiles a small ELF file, one part of which is the fuzzer's input
 */

#include "tests/unit/parser/java_builder.h"
#include "tests/unit/parser/python_builder.h"

/* @data is a section of the file. A table compiled from it must pass its check. */
void compile_input_section(enum cfi_builder_part part, const uint8_t *data, size_t bytes);
/* @data is the code of a function that the entry point calls. */
void compile_input_code(const uint8_t *data, size_t bytes);
/* @data is the content of java_builder.h, then its initializer. */
void compile_input_java(const uint8_t *data, size_t bytes);
/* @data is the content of python_builder.h, then code from PYTHON_BUILDER_GET on. There is one more
 * function, at COMPILE_INPUT_PART. */
void compile_input_python(const uint8_t *data, size_t bytes);
#define COMPILE_INPUT_PART 0x1900u
/* If the table passes its check, a search must find a rule of it for any offset. */
void compile_input_check_table(const void *blob, size_t bytes);
