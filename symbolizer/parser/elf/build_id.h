/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * build_id - reads the GNU build id of a file, which names its separate debug files
 */

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/parser.h"

struct build_id {
	uint8_t bytes[PARSER_BUILD_ID_MAX];
	uint32_t count; /* 0: none */
};

/* From the section of that name, else from the segments of notes: a debug file's segments are those
 * of the file that it belongs to, Go's linker puts the section into none, and a file may have no
 * sections. Return: 0, or an enum parser_status; the id is then what could be read.
 */
int build_id_read(struct build_id *id, const struct sections *sections);
