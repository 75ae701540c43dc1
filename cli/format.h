/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * format - the output formats, chosen by the ending of a file's name; what folded text says
 */

enum format {
	FORMAT_HTML,
	FORMAT_PPROF,
	FORMAT_FOLDED,
	FORMAT_SPEEDSCOPE,
	FORMAT_OTLP,
	FORMAT_N,
};

enum {
	FORMAT_E_UNKNOWN = 1,
};

/* All endings, as messages show them. */
#define FORMAT_ENDINGS ".html, .pb.gz, .folded, .speedscope.json, .otlp"

/* Return: 0, FORMAT_E_UNKNOWN. */
int format_of(const char *path, enum format *ret_format);
/*
 * "a.0007.html" of "a.html": @number stands before the known ending, else before what follows the
 * name's last dot, else at the end. Return: heap, the caller's; NULL: out of memory.
 */
char *format_numbered(const char *path, unsigned number);
/* The value of --folded-lines, for the symbolizer. Return: 0, PROBLEM_E_USAGE. */
int format_folded_lines(const char *text, const char **ret_lines, char *ret_problem);
/* The name in the symbolizer's option --output=NAME:N. */
const char *format_name(enum format format);
