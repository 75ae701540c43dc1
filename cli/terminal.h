/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * terminal - messages and the progress line on stderr, and text made safe for a terminal
 *
 * Shape      a message is one line, "tidemark: ...". Where stderr is a terminal, one more line
 *            shows the progress; it is cleared before a message is printed.
 * Trust      text that another program sent goes through terminal_clean first.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/wire.h"

#define TERMINAL_CLEAN_MAX 4608u /* bytes; longer text is cut */

void terminal_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints only with -v. */
void terminal_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));
void terminal_set_verbose(bool verbose);

/*
 * Keeps messages instead of printing them, while a program draws on the whole terminal. Forgets
 * those that were kept before.
 */
void terminal_hold(void);
/* Prints those that are kept. */
void terminal_release(void);

/* Shows time and counts on the progress line. @reports: written so far, with --every. */
void terminal_progress(uint64_t elapsed_ns, const struct tm_counts *counts, unsigned reports);
/* Shows @text on the progress line. */
void terminal_status(const char *text);
/* Clears the progress line, if there is one. */
void terminal_clear_line(void);
/* Another process may have a progress line there: it is cleared before each message. */
void terminal_share(void);

/*
 * Removes what a terminal would act on (rules: shared/utf8.h), in place. @text: @bytes bytes that
 * need not be terminated; terminated at return.
 */
void terminal_clean(char *text, size_t bytes);
