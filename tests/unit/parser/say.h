/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * say - a rule in words, so that a test reads like the table it expects
 *
 * "sp+16 ra=*(cfa-8) fp=*(cfa-16)", "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal", "end", "none",
 * "plt sp+8 from 11 ...", "*(sp+8*r9+8)+8 ...", "no row" for NULL.
 */

#include "shared/unwind_table.h"

#define SAY_BYTES 128

/* Return: @text. */
const char *say_rule(const struct tm_rule *rule, char text[SAY_BYTES]);
