/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - what the symbolizer and the command say to each other
 *
 * A command that has gone is no error here: its end of file is seen by the loop.
 */

#include "shared/control.h"

enum {
	CONTROL_E_NONE = 1,  /* nothing is there */
	CONTROL_E_ENDED = 2, /* the command has gone, or what it says has no form */
};

/* @ret_fd: -1 when none came, else the caller's. Return: 0, CONTROL_E_NONE, CONTROL_E_ENDED. */
int control_receive(int socket, struct tm_control *ret_message, int *ret_fd);
/* Whether the command has gone; a word of it that waits is no sign of that. */
int control_is_gone(int socket);
void control_say(int socket, enum tm_control_kind kind, int code, uint64_t value);
void control_note(int socket, const char *text);
void control_failed(int socket, enum tm_failure failure, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void control_top(int socket, const struct tm_top *top);
/* As they stand in the ring at the end: a dead collector published more than it lived to say. */
void control_counts(int socket, const struct tm_counts *counts);
void control_result(int socket, const struct tm_result *result);
