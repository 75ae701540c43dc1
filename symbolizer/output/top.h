/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top - the functions that most samples stopped in
 */

#include "shared/control.h"
#include "symbolizer/output/report.h"

/*
 * By name and file; a function counts once in a stack however often it recurs. Self first, then
 * total, then name. Return: rows written (<= TM_TOP_ROWS), -ENOMEM.
 */
int top_rows(const struct report *report, struct tm_top rows[TM_TOP_ROWS]);
