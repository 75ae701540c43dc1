/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debuginfod_urls - the debuginfod servers that are asked for debug files; none by default
 *
 * Shape      http:// or https://, a host and printable characters without a blank.
 * Owns       nothing: every text points into argv or the environment.
 */

#include <stddef.h>

#define DEBUGINFOD_URLS_MAX       8u
#define DEBUGINFOD_URLS_BYTES_MAX 1000u /* of one */

struct debuginfod_urls_one {
	const char *text; /* not terminated */
	size_t bytes;
};

struct debuginfod_urls {
	size_t count;
	struct debuginfod_urls_one items[DEBUGINFOD_URLS_MAX];
};

enum {
	DEBUGINFOD_URLS_E_FORM = 1,
	DEBUGINFOD_URLS_E_FULL = 2, /* DEBUGINFOD_URLS_MAX are there */
};

/* Return: 0, DEBUGINFOD_URLS_E_FORM, DEBUGINFOD_URLS_E_FULL. */
int debuginfod_urls_add(struct debuginfod_urls *urls, const char *text, size_t bytes);
/*
 * Adds those of @value, which blanks separate, as elfutils has them in DEBUGINFOD_URLS. Prints what
 * is left out. @value: NULL: nothing.
 */
void debuginfod_urls_add_environment(struct debuginfod_urls *urls, const char *value);
