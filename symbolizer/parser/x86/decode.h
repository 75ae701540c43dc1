/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * decode - decodes one x86-64 instruction
 *
 * It knows the instructions that compilers and authors of assembly use in user space, up to
 * AVX-512, each with its right length.
 *
 * Trust      the bytes are hostile: none beyond @end is read.
 * Source     Intel SDM volume 2, appendix A (opcode maps), 2.1 to 2.7 (prefixes).
 */

#include "symbolizer/parser/x86/encoding.h"

#define DECODE_PADDING_MAX 64u

/* Decodes the instruction at @code, whose address is @vaddr. Return: 0, INSN_E_UNKNOWN. */
int decode_insn(const uint8_t *code, const uint8_t *end, uint64_t vaddr, struct insn *ret_insn);
/* The same, with the operands. */
int decode_encoding(const uint8_t *code, const uint8_t *end, uint64_t vaddr,
		    struct encoding *ret_encoding, struct insn *ret_insn);
/* Bytes of padding from @code on, nops of any length and int3: about DECODE_PADDING_MAX at most. */
uint32_t decode_padding(const uint8_t *code, const uint8_t *end);
