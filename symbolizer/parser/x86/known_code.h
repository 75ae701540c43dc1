/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * known_code - built-in unwind rules for entry points, PLTs and sigreturn trampolines without CFI
 *
 * The `_start` of musl and of the dynamic linker; the PLT of linkers that write no CFI for it;
 * glibc's __start_context; where Boost.Context begins a fiber; and the sigreturn trampoline of musl
 * and others, which is found by its instructions.
 * Source     musl arch/x86_64/crt_arch.h and src/signal/x86_64/restore.s, glibc
 *            sysdeps/x86_64/dl-x86_64.h, Boost.Context src/asm/make_x86_64_sysv_elf_gas.S,
 *            AMD64 ABI on PLTs: their instructions, by disassembly.
 */

#include "symbolizer/parser/code_ranges.h"
#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/table_writer.h"

#define KNOWN_CODE_ENTRY_BYTES 128u
#define KNOWN_CODE_SCAN_MAX    (4ull << 20) /* bytes of one file searched for trampolines */

/* Adds the ranges of the entry point and of PLTs. Return: 0, or an enum parser_status. */
int known_code_add(struct code_ranges *ranges, const struct sections *sections);
/* Writes the rows of a range that known_code_add() added. Return: 0, PARSER_FAILED (memory). */
int known_code_write(struct table_writer *writer, const struct code_range *range, uint64_t limit);
/* Writes a row for each sigreturn trampoline in [from, to), which nothing describes. @left: bytes
 * that may still be searched. Return: 0, or an enum parser_status. */
int known_code_scan(struct table_writer *writer, const struct sections *sections, uint64_t from,
		    uint64_t to, uint64_t *left);
/* Whether the code is a sigreturn trampoline. */
bool known_code_is_sigreturn(const uint8_t *code, uint64_t bytes);
