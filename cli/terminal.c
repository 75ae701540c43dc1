/* SPDX-License-Identifier: Apache-2.0 */
/* terminal - messages and the progress line on stderr, and text made safe for a terminal */

#include "cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/utf8.h"

#define NS_PER_TENTH 100000000ull
#define HELD_BYTES   4096u

static bool is_verbose;
static bool has_progress_line;
static bool is_shared; /* and another process may have one */
static bool is_holding;
static char held[HELD_BYTES]; /* lines; what comes after is thrown away */
static size_t held_bytes;

__attribute__((format(printf, 1, 0))) static void hold(const char *format, va_list arguments)
{
	size_t left = sizeof(held) - held_bytes;
	int length = vsnprintf(held + held_bytes, left, format, arguments);

	if (length >= 0 && (size_t)length + 1 < left) {
		held_bytes += (size_t)length + 1;
		held[held_bytes - 1] = '\n';
	}
}

__attribute__((format(printf, 1, 0))) static void print(const char *format, va_list arguments)
{
	if (is_holding) {
		hold(format, arguments);
		return;
	}
	terminal_clear_line();
	(void)fputs("tidemark: ", stderr);
	(void)vfprintf(stderr, format, arguments);
	(void)fputc('\n', stderr);
	(void)fflush(stderr);
}

void terminal_hold(void)
{
	is_holding = true;
	held_bytes = 0;
}

void terminal_release(void)
{
	const char *line = held;

	is_holding = false;
	for (size_t i = 0; i < held_bytes; i++)
		if (held[i] == '\n') {
			terminal_print("%.*s", (int)(held + i - line), line);
			line = held + i + 1;
		}
	held_bytes = 0;
}

void terminal_set_verbose(bool verbose)
{
	is_verbose = verbose;
}

void terminal_share(void)
{
	is_shared = isatty(STDERR_FILENO) == 1;
}

void terminal_clear_line(void)
{
	if (!has_progress_line && !is_shared)
		return;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	has_progress_line = false;
}

void terminal_print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void terminal_verbose(const char *format, ...)
{
	va_list arguments;

	if (!is_verbose)
		return;
	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void terminal_status(const char *text)
{
	if (!isatty(STDERR_FILENO))
		return;
	terminal_clear_line();
	(void)fputs(text, stderr);
	(void)fflush(stderr);
	has_progress_line = true;
}

void terminal_progress(uint64_t elapsed_ns, const struct tm_counts *counts, unsigned reports)
{
	char text[192], waits[32] = "", written[32] = "";
	uint64_t dropped = 0;

	for (unsigned i = 0; i < TM_DROP_N; i++)
		dropped += counts->drops[i] + counts->off_cpu.drops[i];
	if (counts->off_cpu.taken > 0)
		(void)snprintf(waits, sizeof(waits), ", %llu off-CPU",
			       (unsigned long long)counts->off_cpu.taken);
	if (reports > 0)
		(void)snprintf(written, sizeof(written), ", %u reports", reports);
	(void)snprintf(text, sizeof(text),
		       "recording %llu.%llu s, %llu samples%s, %llu dropped%s (Ctrl-C ends)",
		       (unsigned long long)(elapsed_ns / NS_PER_TENTH / 10),
		       (unsigned long long)(elapsed_ns / NS_PER_TENTH % 10),
		       (unsigned long long)counts->taken, waits, (unsigned long long)dropped,
		       written);
	terminal_status(text);
}

void terminal_clean(char *text, size_t bytes)
{
	char copy[TERMINAL_CLEAN_MAX];
	size_t length;

	if (bytes == 0)
		return;
	length = strnlen(text, bytes < sizeof(copy) ? bytes : sizeof(copy));
	memcpy(copy, text, length);
	(void)tm_utf8_clean(copy, length, text, bytes);
}
