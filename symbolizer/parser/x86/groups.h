/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * groups - decodes stack and jump instructions, and groups that share an opcode
 */

#include "symbolizer/parser/x86/encoding.h"

/* Decodes what follows the opcode. Return: 0, INSN_E_UNKNOWN. */
int groups_decode(struct encoding *in);
