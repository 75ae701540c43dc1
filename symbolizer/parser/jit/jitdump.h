/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jitdump - makes a table of code with times from a jitdump, in which a JIT compiler logs its code
 *
 * Format     version 1 of jitdump-specification.txt of the kernel's tools/perf: JIT_CODE_LOAD,
 *            MOVE, DEBUG_INFO and CLOSE; records of other kinds are skipped, and so is the machine
 *            code. A record that is not whole is still being written: the table ends before it.
 * Times      only those of CLOCK_MONOTONIC are of use. A file that says that it has those of the
 *            processor gives an empty table (PARSER_CODES_OTHER_CLOCK).
 * Lines      those that lie in the code which is loaded next. A record of lines of which one makes
 *            no sense is left out: V8 writes freed memory in place of some paths. It also counts
 *            from an ELF header that `perf inject` puts before the code: where no line of the whole
 *            file lies below its JITDUMP_ELF_HEADER bytes, they are taken off.
 * Limits     JITDUMP_BYTES_MAX of the file, and those of code_list.h; more is flagged.
 */

#include "symbolizer/parser/elf/image.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

#define JITDUMP_BYTES_MAX  (4ull << 30)
#define JITDUMP_ELF_HEADER 64u

/*
 * Return: PARSER_OK: @result is a parser_code_table; PARSER_NOT_ELF: it is no jitdump, or of
 * another machine; PARSER_CHANGED: the file became shorter; PARSER_FAILED (memory).
 */
int jitdump_compile(struct result_blob *result, const struct image_source *source);
