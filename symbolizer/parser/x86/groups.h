/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * groups - instructions that move the stack pointer or the flow, and groups that share an opcode
 */

#include "symbolizer/parser/x86/decode.h"

/* Reads on behind the opcode. Return: 0, INSN_E_UNKNOWN. */
int groups_read(struct decode *in);
