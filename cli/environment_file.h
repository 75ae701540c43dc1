/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * environment_file - reads the assignments of a text in the syntax of systemd's EnvironmentFile=
 *
 * Shape      KEY=VALUE, one a line; a comment is a line that begins with # or ;. Blanks around key
 *            and value are removed. Behind a backslash a character stands for itself, an end
 *            of line for nothing. A value may begin with parts in quotes, of several lines: '...'
 *            is taken as it is; in "..." a backslash is an escape before " \ ` $ and an end of
 *            line, else a character. Nothing is expanded.
 * Leniency   systemd refuses little: what is probably a mistake is a note, not an error.
 * Source     systemd.exec(5), EnvironmentFile=; what that leaves open, by experiment
 *            (tests/unit/cli/test_environment_file.py).
 * Trust      any bytes. A value is never longer than what it was written as.
 */

#include <stddef.h>

enum environment_file_note {
	ENVIRONMENT_FILE_NO_ASSIGNMENT,   /* a line without =, which is ignored */
	ENVIRONMENT_FILE_OPEN_QUOTE,      /* the text ends in a value within quotes */
	ENVIRONMENT_FILE_COMMENT_GOES_ON, /* a comment ends in a backslash: before systemd 254 the
					     next line belongs to it, since then it does not */
};

struct environment_file_reader {
	/* @line: where the key stands, from 1; the strings are the callee's during the call. */
	void (*assign)(void *context, size_t line, const char *key, const char *value);
	/* @key: "" where there is none. */
	void (*note)(void *context, size_t line, const char *key, enum environment_file_note note);
	void *context;
};

/* @text: @bytes bytes without a NUL. Return: 0, -ENOMEM. */
int environment_file_read(const char *text, size_t bytes,
			  const struct environment_file_reader *reader);
