/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * compare - one rule beside what libdw says of the same place
 */

#include <stdbool.h>

#include "tests/oracle/evaluate.h"

/* Each kind of difference that there is, with what is to be said of it. */
#define DIFFERENCES(X)                                                              \
	X(NO_RULE, "the table has no rule there")                                   \
	X(UNSAYABLE, "the table says that nothing is known")                        \
	X(END_BELOW, "the table has an end: the return address would lie below sp") \
	X(END, "the table has an end, libdw a return address")                      \
	X(NO_END, "libdw has an end, the table a return address")                   \
	X(NO_CFA, "libdw has no CFA: it was changed after an expression")           \
	X(CFA, "another CFA")                                                       \
	X(RETURN_ADDRESS, "another return address")                                 \
	X(FRAME_POINTER, "another frame pointer")                                   \
	X(SIGNAL, "signal frame for one of both only")                              \
	X(ORACLE, "libdw's operations are not known to this test")

#define COMPARE_NAME(upper, text) DIFFERENCE_##upper,
enum difference {
	DIFFERENCES(COMPARE_NAME) DIFFERENCE_N,
	SAME,
	ON_PURPOSE, /* of Go's functions, of an entry point */
};

/* @rule: of the table, NULL: none. @is_go: .debug_frame is that of Go's linker. */
enum difference compare_row(const struct tm_rule *rule, Dwarf_Frame *frame, uint64_t vaddr,
			    bool signal, int is_go);
