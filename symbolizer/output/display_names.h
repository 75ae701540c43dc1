/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * display_names - gives the calls of a report the demangled names that are displayed
 *
 * The name in the symbol table stays the call's system_name. Where the strings' budget is spent,
 * it is displayed as well.
 */

#include "symbolizer/names/demangle.h"
#include "symbolizer/output/report_build.h"

/* @strings: those of the report. Return: how many names the parser did not answer for. */
uint32_t display_names_set(struct report_build *build, struct strings *strings,
			   struct demangle *demangle);
