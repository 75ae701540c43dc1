/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rule_text - writes an unwind rule as text, so that a test reads like the table it expects
 *
 * "sp+16 ra=*(cfa-8) fp=*(cfa-16)", "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal", "end", "none",
 * "plt sp+8 from 11 ...", "*(sp+8*r9+8)+8 ...", "no row" for NULL.
 */

#include "shared/unwind_table.h"

#define RULE_TEXT_BYTES 128

/* Return: @text. */
const char *rule_text(const struct tm_rule *rule, char text[RULE_TEXT_BYTES]);
