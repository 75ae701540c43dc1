/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opcode - how each opcode continues, and what it writes
 *
 * Source: Intel SDM volume 2, appendix A.
 */

#include "symbolizer/parser/x86/decode.h"

/*
 * Return: `.` not known; `n` nothing follows; `b` `z` `q` a byte, an operand's size (at most four), an
 * address; with ModRM: `m` writes no general register, `M` r/m, `R` reg, `X` both; and with a byte
 * behind `i` `I` `r`, with an operand `y` `Z` `Y`; `o` writes the register in the opcode, `B` `V` the
 * same with a byte or a whole operand; `s` is for groups.h.
 */
char opcode_class(const struct decode *in);
