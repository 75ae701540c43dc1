/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table - what a test expects of the rows of a file that it made
 */

#include "tests/unit/parser/cfimake.h"
#include "tests/unit/parser/say.h"

/* Compiles and checks; fails the test otherwise. One table at a time. */
void table_open(struct cfimake *make);
const struct tm_unwind_table *table_header(void);
/* The rule at a file offset, in words. */
void table_expect_at(const char *file, int line, uint64_t offset, const char *text);
#define table_expect(offset, text) table_expect_at(__FILE__, __LINE__, offset, text)
void table_close(void);
