/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * terminal - one clear sentence on stderr, `tidemark: ...`
 *
 * Trust      text of other programs comes through clean_text first (cli/clean.h).
 * Line       a live line on the terminal (cli/progress.h) is wiped before anything is said.
 */

#include <stdbool.h>

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only with -v. */
void say_more(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_set_verbose(bool verbose);
bool say_is_verbose(void);
/* Called by progress: is a live line on the screen that must be wiped first? */
void say_live_line(bool shown);
/* Wipes the live line, if any. */
void say_wipe(void);
