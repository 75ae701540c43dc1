/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rule - the state that a function's instructions lead to, as a rule
 */

#include "shared/unwind_table.h"
#include "symbolizer/parser/cfi/program.h"

/* What no rule can say becomes TM_CFA_NONE. @signal: the function is a signal trampoline. */
struct tm_rule rule_of_state(const struct program_state *state, int signal);
