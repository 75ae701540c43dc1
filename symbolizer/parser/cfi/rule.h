/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rule - translates a row of call frame information into an unwind rule
 */

#include <stdbool.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/cfi/row.h"

/* A row that no rule can express becomes TM_CFA_NONE. @is_signal: of a signal trampoline. */
struct tm_rule rule_from_row(const struct row *row, bool is_signal);
