/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * top_screen - the whole terminal for `tidemark top`, and its keys
 *
 * Shape      the terminal's second screen, without a cursor; keys come one by one and unseen.
 *            Ctrl-C is still SIGINT; Ctrl-Z and Ctrl-\ do nothing, which would leave the
 *            terminal as it is.
 */

#include <termios.h>

#include "cli/top_layout.h"

enum top_screen_sequence { /* of bytes that are one key */
	TOP_SCREEN_NONE,
	TOP_SCREEN_ESCAPE,
	TOP_SCREEN_PARAMETERS,
};

struct top_screen {
	struct termios saved;
	bool is_open;
	enum top_screen_sequence sequence; /* in which the next byte is */
};

/* Whether stdin and stdout are a terminal. */
bool top_screen_possible(void);
/* Return: 0, -errno. */
int top_screen_open(struct top_screen *screen);
/* As it was before. Total. */
void top_screen_close(struct top_screen *screen);
void top_screen_size(unsigned *ret_columns, unsigned *ret_lines);
/* Return: 0, -errno. */
int top_screen_draw(const struct top_layout *layout);
/* The next key, of those that wait. Return: > 0: the key; 0: none of interest; -EIO: the terminal
 * is gone. */
int top_screen_key(struct top_screen *screen);
