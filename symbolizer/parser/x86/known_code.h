/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * known_code - code that nobody describes and everybody knows: entry points, PLTs, signal trampolines
 *
 * musl's `_start` and the dynamic linker's; the PLT of linkers that describe none; musl's and others'
 * rt_sigreturn trampoline, found by its instructions in what is not described.
 * Source     musl arch/x86_64/crt_arch.h and src/signal/x86_64/restore.s, glibc
 *            sysdeps/x86_64/dl-x86_64.h, AMD64 ABI on PLTs: their instructions, by disassembly.
 */

#include "symbolizer/parser/cfi/fde_list.h"
#include "symbolizer/parser/table_writer.h"

#define KNOWN_CODE_ENTRY_BYTES 128u
#define KNOWN_CODE_SCAN_MAX    (4ull << 20) /* bytes looked through for trampolines in one file */

/* Adds spans of entry point and PLTs. Return: 0, or an enum parser_status. */
int known_code_add(struct fde_list *frames, const struct sections *sections);
/* The rows of a span that known_code_add() added. Return: 0, or an enum parser_status. */
int known_code_put(struct table_writer *make, const struct span *span, uint64_t limit);
/* Puts a row for each trampoline in [from, to), which nobody describes; @left: bytes still to be
 * looked through. Return: 0, or an enum parser_status. */
int known_code_scan(struct table_writer *make, const struct sections *sections, uint64_t from,
		    uint64_t to, uint64_t *left);
/* Whether code is one. */
int known_code_is_trampoline(const uint8_t *code, uint64_t bytes);
/* The step from the kernel's signal frame. */
struct tm_rule known_code_signal_rule(void);
