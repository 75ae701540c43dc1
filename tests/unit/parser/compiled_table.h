/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compiled_table - compiles a file that a test built, and compares its rules with those expected
 */

#include "tests/unit/parser/cfi_builder.h"
#include "tests/unit/parser/rule_text.h"

/* Compiles the file and checks the table, or fails the test. There is one table at a time. */
void compiled_table_open(struct cfi_builder *builder);
const struct tm_unwind_table *compiled_table_header(void);
/* Compares the rule at a file offset with its text in the form of rule_text(). */
void compiled_table_expect_at(const char *file, int line, uint64_t offset, const char *text);
#define compiled_table_expect(offset, text) \
	compiled_table_expect_at(__FILE__, __LINE__, offset, text)
void compiled_table_close(void);
