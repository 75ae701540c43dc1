/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compare - compares one unwind rule with libdw's for the same place
 */

#include <stdbool.h>

#include "tests/oracle/evaluate.h"

/* Each kind of difference, with the text that is printed. */
#define DIFFERENCES(X)                                                                          \
	X(NO_RULE, "the table has no rule there")                                               \
	X(UNKNOWN, "the table says that nothing is known")                                      \
	X(END_BELOW, "the table has an outermost frame: the return address would lie below sp") \
	X(END, "the table has an outermost frame, libdw a return address")                      \
	X(NO_END, "libdw has an outermost frame, the table a return address")                   \
	X(NO_CFA, "libdw has no CFA: it was changed after an expression")                       \
	X(CFA, "another CFA")                                                                   \
	X(RETURN_ADDRESS, "another return address")                                             \
	X(FRAME_POINTER, "another frame pointer")                                               \
	X(SIGNAL, "a signal frame for only one of both")                                        \
	X(ORACLE, "this test does not know libdw's operations")

#define COMPARE_NAME(upper, text) DIFFERENCE_##upper,
enum difference {
	DIFFERENCES(COMPARE_NAME) DIFFERENCE_N,
	SAME,
	ON_PURPOSE, /* deliberately different: Go's functions, entry points */
};

/* @rule: of the table, NULL: none. @is_go: .debug_frame is that of Go's linker. */
enum difference compare_row(const struct tm_rule *rule, Dwarf_Frame *frame, uint64_t vaddr,
			    bool signal, bool is_go);
