/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * minidebug - decompresses .gnu_debugdata: an ELF file with the symbols that .dynsym lacks
 *
 * Format     one xz stream.
 * Limits     MINIDEBUG_PACKED_MAX bytes of the section, MINIDEBUG_MAX decompressed,
 *            MINIDEBUG_MEMORY_MAX of memory that the stream may ask for.
 */

#include "symbolizer/parser/elf/sections.h"

#define MINIDEBUG_PACKED_MAX (16u << 20)
#define MINIDEBUG_MAX        (64u << 20)
#define MINIDEBUG_MEMORY_MAX (96u << 20) /* xz -9 asks for 65 MiB */

struct minidebug {
	uint8_t *bytes; /* owned; NULL: the section is absent */
	uint64_t count;
};

/* Return: 0, or an enum parser_status; MALFORMED, TOO_LARGE: only this part is lost. */
int minidebug_open(struct minidebug *minidebug, const struct sections *sections);
/* The file in it. */
struct image_source minidebug_source(struct minidebug *minidebug);
void minidebug_close(struct minidebug *minidebug);
