/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * opcode - tables of what follows each opcode, and of what it writes
 *
 * Source: Intel SDM volume 2, appendix A.
 */

#include "symbolizer/parser/x86/encoding.h"

/*
 * Return: the class of the opcode.
 *   .      not known
 *   n      nothing follows
 *   b z q  an immediate follows: a byte, one of operand size (at most four bytes), an address
 *   m M R X   ModRM follows; written is no general register, r/m, reg, both
 *   i I r     as m, M, R, with an immediate byte
 *   Z Y       as M, R, with an immediate of operand size
 *   o B V  the register in the opcode is written; without immediate, with a byte, of operand size
 *   s      special: groups.h
 */
char opcode_class(const struct encoding *in);
