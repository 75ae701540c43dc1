/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * talk - the words of either program to the command that started it (shared/control.h)
 *
 * Wait       until the command reads; it always does. Only counts may be skipped instead.
 * Errors     each returns 0, or -errno where the command is gone.
 */

#include "shared/control.h"
#include "shared/fault.h"

int tm_talk_say(int socket, enum tm_control_kind kind, int code, uint64_t value);
/* One line for the person at the terminal. */
__attribute__((format(printf, 2, 3))) int tm_talk_note(int socket, const char *format, ...);
/* @cost: NULL: none is known. @may_skip: not where the command is slow to read. */
int tm_talk_counts(int socket, const struct tm_counts *counts, const struct tm_collector_cost *cost,
		   int may_skip);
/* The last word of a program that cannot go on. */
int tm_talk_failed(int socket, const struct tm_fault *fault);
