/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * build_id - reads the build ids of a file: GNU's, which names its separate debug files, and Go's
 *
 * Each is looked for in the section of its name, else in the segments of notes: a debug file's
 * segments are those of the file that it belongs to, Go's linker puts the section into none, and a
 * file may have no sections.
 */

#include "symbolizer/parser/elf/sections.h"
#include "symbolizer/parser/parser.h"

#define BUILD_ID_GO_MAX 256u /* characters; Go's own have 83 */

struct build_id {
	uint8_t bytes[PARSER_BUILD_ID_MAX];
	uint32_t count;               /* 0: none */
	char go[BUILD_ID_GO_MAX + 1]; /* printable ASCII; "": none */
};

/* Return: 0, or an enum parser_status; the ids are then what could be read. */
int build_id_read(struct build_id *id, const struct sections *sections);
