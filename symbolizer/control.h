/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - what the symbolizer says to the command
 *
 * A command that has gone is no error here: its end of file is seen by the loop.
 */

#include "shared/control.h"

void control_say(int socket, enum tm_control_kind kind, int code, uint64_t value);
void control_note(int socket, const char *text);
void control_failed(int socket, enum tm_failure failure, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void control_top(int socket, const struct tm_top *top);
/* As they stand in the ring at the end: a dead collector published more than it lived to say. */
void control_counts(int socket, const struct tm_counts *counts);
void control_result(int socket, const struct tm_result *result);
