/* SPDX-License-Identifier: Apache-2.0 */
/* format - the output formats, chosen by the ending of a file's name */

#include "cli/format.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/problem.h"

static const struct {
	const char *ending;
	const char *name;
} formats[FORMAT_N] = {
	[FORMAT_HTML] = {".html", "html"},
	[FORMAT_PPROF] = {".pb.gz", "pprof"},
	[FORMAT_FOLDED] = {".folded", "folded"},
	[FORMAT_SPEEDSCOPE] = {".speedscope.json", "speedscope"},
	[FORMAT_OTLP] = {".otlp", "otlp"},
};

/* Where the ending of @path begins. */
static size_t ending_at(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	enum format format;

	if (format_of(path, &format) == 0)
		return strlen(path) - strlen(formats[format].ending);
	return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

int format_of(const char *path, enum format *ret_format)
{
	size_t length = strlen(path);
	unsigned i;

	for (i = 0; i < FORMAT_N; i++) {
		size_t ending = strlen(formats[i].ending);

		if (length >= ending && strcmp(path + length - ending, formats[i].ending) == 0) {
			*ret_format = (enum format)i;
			return 0;
		}
	}
	return FORMAT_E_UNKNOWN;
}

char *format_numbered(const char *path, unsigned number)
{
	size_t at = ending_at(path);
	char *text = NULL;

	if (asprintf(&text, "%.*s.%04u%s", (int)at, path, number, path + at) < 0)
		return NULL;
	return text;
}

int format_folded_lines(const char *text, const char **ret_lines, char *ret_problem)
{
	static const char *const known[] = {"python", "all", "none"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i]) == 0) {
			*ret_lines = known[i];
			return 0;
		}
	return problem_write(ret_problem, "--folded-lines %s: python, all or none", text);
}

const char *format_name(enum format format)
{
	return formats[format].name;
}
