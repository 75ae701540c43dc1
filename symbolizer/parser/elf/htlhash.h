/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * htlhash - names a file by its head, tail and length, as OpenTelemetry's profiles do
 *
 * Shape      the first 16 bytes of the SHA-256 of the first 4096 bytes of the file, its last 4096
 *            bytes, which may overlap them, and its length as 8 bytes, the most significant first.
 *            What the file does not have is left out.
 * Source     OpenTelemetry semantic conventions, process.executable.build_id.htlhash.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"

/* Return: 0, PARSER_FAILED (reading). */
int htlhash_read(const struct image_source *source, uint8_t ret_hash[PARSER_HTLHASH_BYTES]);
