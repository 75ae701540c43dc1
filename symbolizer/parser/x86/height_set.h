/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * height_set - the distinct heights met in one file, each by a number from 1 on
 */

#include "symbolizer/parser/x86/stack_height.h"

#define HEIGHT_SET_MAX 65535u

struct height_set {
	struct stack_height *list; /* owned; the first is not used */
	uint16_t *slots;           /* owned; numbers by hash, 0: free */
	uint32_t count, most;      /* numbers given, and to be given */
	uint8_t cut;               /* there were more */
};

/* @most: there cannot be more; nor more than HEIGHT_SET_MAX. Return: 0, PARSER_FAILED (memory). */
int height_set_open(struct height_set *states, uint32_t most);
/* Return: the number; 0: too many. */
uint32_t height_set_number(struct height_set *states, const struct stack_height *height);
/* The number of what holds in both; 0: nothing that is of use. */
uint32_t height_set_merge(struct height_set *states, uint32_t number, uint32_t other);
void height_set_close(struct height_set *states);
