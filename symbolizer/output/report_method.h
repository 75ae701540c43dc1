/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_method - what a report shows of a language runtime's function
 *
 * CPython    the function's own name, its file, the line of the place.
 * Java       java.lang.String.charAt, with the system name java/lang/String.charAt(I)C; the name
 *            of the source file alone; machine code of the runtime's own has its name alone.
 */

#include "shared/runtime.h"
#include "symbolizer/base/strings.h"
#include "symbolizer/output/report.h"
#include "symbolizer/profile/methods.h"

/* Whose the function is. @method: NULL: no METHOD was read. @encoded: the frame. */
enum tm_runtime_kind report_method_runtime(const struct method *method, uint64_t encoded);
/* The same parameters. *ret_unnamed: the name is a [reason].
 * Return: 0, BUDGET_E_SPENT. */
int report_method_call(struct strings *strings, const struct method *method, uint64_t encoded,
		       struct report_call *ret_call, bool *ret_unnamed);
