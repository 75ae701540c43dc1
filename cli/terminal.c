/* SPDX-License-Identifier: Apache-2.0 */
/* terminal - one clear sentence on stderr */

#include "cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>

static bool chatty;
static bool live;

__attribute__((format(printf, 1, 0))) static void print(const char *format, va_list arguments)
{
	say_wipe();
	(void)fputs("tidemark: ", stderr);
	(void)vfprintf(stderr, format, arguments);
	(void)fputc('\n', stderr);
	(void)fflush(stderr);
}

void say_set_verbose(bool verbose)
{
	chatty = verbose;
}

bool say_is_verbose(void)
{
	return chatty;
}

void say_live_line(bool shown)
{
	live = shown;
}

void say_wipe(void)
{
	if (!live)
		return;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	live = false;
}

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void say_more(const char *format, ...)
{
	va_list arguments;

	if (!chatty)
		return;
	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}
