/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * height_set - the distinct stack heights met in one file, each with a number from 1 on
 */

#include "symbolizer/parser/x86/stack_height.h"

#define HEIGHT_SET_MAX 65535u

struct height_set {
	struct stack_height *list; /* owned; [0] is not used */
	uint16_t *slots;           /* owned; a hash table of numbers, 0: free */
	uint32_t count, limit;     /* numbers given so far, and at most */
	bool truncated;            /* there were more heights than numbers */
};

/* @limit: on the count; HEIGHT_SET_MAX is another. Return: 0, PARSER_FAILED (memory). */
int height_set_open(struct height_set *set, uint32_t limit);
/* Return: the number of @height; 0: there are too many. */
uint32_t height_set_number(struct height_set *set, const struct stack_height *height);
/* The number of what holds in both heights; 0: they contradict each other. */
uint32_t height_set_merge(struct height_set *set, uint32_t number, uint32_t other);
void height_set_close(struct height_set *set);
