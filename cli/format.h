/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * format - the ending of a file's name chooses what is written into it
 */

enum format {
	FORMAT_HTML,
	FORMAT_PPROF,
	FORMAT_FOLDED,
	FORMAT_SPEEDSCOPE,
	FORMAT_N,
};

enum {
	FORMAT_E_UNKNOWN = 1,
};

/* All endings as people read them: ".html, .pb.gz, ...". */
#define FORMAT_ENDINGS ".html, .pb.gz, .folded, .speedscope.json"

/* Return: 0, FORMAT_E_UNKNOWN. */
int format_of(const char *path, enum format *ret_format);
/*
 * "a.0007.html" of "a.html": @number stands before the known ending, else before what follows the
 * name's last dot, else at the end. Return: heap, the caller's; NULL: out of memory.
 */
char *format_numbered(const char *path, unsigned number);
/* The word of the symbolizer's option --output=WORD:N. */
const char *format_word(enum format format);
