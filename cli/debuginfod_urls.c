/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod_urls - the debuginfod servers that are asked for debug files; none by default */

#include "cli/debuginfod_urls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

#define BLANKS " \t\n"

/* Return: length of the scheme; 0: another one. */
static size_t scheme(const char *text, size_t bytes)
{
	static const char *const schemes[] = {"http://", "https://"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t length = strlen(schemes[i]);

		if (bytes > length && memcmp(text, schemes[i], length) == 0)
			return length;
	}
	return 0;
}

static bool is_valid(const char *text, size_t bytes)
{
	if (bytes > DEBUGINFOD_URLS_BYTES_MAX || scheme(text, bytes) == 0)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f)
			return false;
	return true;
}

int debuginfod_urls_add(struct debuginfod_urls *urls, const char *text, size_t bytes)
{
	if (!is_valid(text, bytes))
		return DEBUGINFOD_URLS_E_FORM;
	if (urls->count == DEBUGINFOD_URLS_MAX)
		return DEBUGINFOD_URLS_E_FULL;
	urls->items[urls->count++] = (struct debuginfod_urls_one){text, bytes};
	return 0;
}

static void print_left_out(const char *text, size_t bytes, int reason)
{
	char shown[128];

	(void)snprintf(shown, sizeof(shown), "%.*s", (int)bytes, text);
	terminal_clean(shown, sizeof(shown));
	if (reason == DEBUGINFOD_URLS_E_FULL)
		terminal_print("%s of DEBUGINFOD_URLS is not asked: %u servers are the most", shown,
			       DEBUGINFOD_URLS_MAX);
	else
		terminal_print("%s of DEBUGINFOD_URLS is not asked: it is no http:// or https:// "
			       "URL",
			       shown);
}

void debuginfod_urls_add_environment(struct debuginfod_urls *urls, const char *value)
{
	while (value && *(value += strspn(value, BLANKS)) != '\0') {
		size_t bytes = strcspn(value, BLANKS);
		int r = debuginfod_urls_add(urls, value, bytes);

		if (r != 0)
			print_left_out(value, bytes, r);
		value += bytes;
	}
}
