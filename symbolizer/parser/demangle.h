/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * demangle - turns mangled names of C++, Rust and D into those that their sources have
 *
 * Display    C++ as `c++filt` prints it; Rust without its hash; what follows an '@' stays. A text
 *            of more than PARSER_DISPLAY_MAX bytes is cut and ends in a mark with a hash of the
 *            mangled name, so that two names that are cut stay two.
 * Reads      nothing but its arguments: no descriptor, no clock.
 * Limits     libiberty's own limit of recursion holds. A hostile name can still take all the CPU
 *            time, stack or memory of the worker: then its client asks again in smaller parts.
 */

#include "shared/utf8.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/result_blob.h"

#define DEMANGLE_TEXT_BYTES TM_UTF8_CLEAN_BYTES(PARSER_DISPLAY_MAX) /* before it is cut */

/* @ret_text: DEMANGLE_TEXT_BYTES. Return: the length of the text; 0: not mangled. */
size_t demangle_name(const char *mangled, char *ret_text);
/*
 * @names: @count NUL-terminated names in @bytes bytes.
 * Return: an enum parser_status; with PARSER_OK, @result is a parser_demangled of parser.h.
 */
int demangle_names(struct result_blob *result, const char *names, size_t bytes, uint32_t count);
